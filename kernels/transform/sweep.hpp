#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/transform/recipe.hpp"
#include "kernels/transform/run.hpp"
#include "papilio/engine/machine_spec.hpp"

// Sweeps over HBM: every block is loaded once, transformed in some digits, and stored once, with
// its points on partitions at one end at least, or with its lines where digits are of several axes.
namespace papilio::kernels_detail {

/// How the numbers of a sweep lie in HBM as they enter, or as they leave.
struct sweep_end {
  bool on_partitions = false;            ///< points are; else lanes, each with its numbers
  std::int64_t plane = 0, lane = 1;      ///< from plane to plane, from lane to lane
  std::vector<std::int64_t> axes = {1};  ///< from number to number of each axis
  /// Numbers from this one on lie as conjugates, `mirror` - number times the axis' step, of lanes in
  /// descending order, or, where the sweep's loop counts rows, of those; 0: none do.
  std::int64_t mirrored_from = 0, mirror = 0;
  /// Where lanes are on partitions: numbers [i part, (i + 1) part) lie `part_step` further than those
  /// before; 0: they are all together.
  std::int64_t part = 0, part_step = 0;

  auto fields() const {
    return std::tie(on_partitions, plane, lane, axes, mirrored_from, mirror, part, part_step);
  }
};

/// The sweep is done for each value of an index beside its lanes.
struct sweep_loop {
  std::int64_t extent = 1, in = 0, out = 0;
  bool is_row = false;  ///< it counts the rows of sweeps before, and is the only one that does

  auto fields() const { return std::tie(extent, in, out, is_row); }
};

struct transform_sweep {
  transform_formula formula = {};
  std::int64_t lanes = 1;
  sweep_end in = {}, out = {};
  std::vector<sweep_loop> loops = {};  ///< the slowest first
  /// Results [lane, number], which leave with lanes on partitions, are multiplied by
  /// w(order)^((twiddle_first + lane) * number); 0: they are not.
  std::int64_t twiddle_order = 0, twiddle_first = 0;
  array_operands operands = {};

  // Chosen.
  std::int64_t block_lanes = 0;
  run_depths depths = {};

  auto fields() const {
    return std::tie(formula, lanes, in, out, loops, twiddle_order, twiddle_first, operands,
                    block_lanes, depths);
  }
  std::string describe() const;
  transform_sweep without_batch() const;
  /// The loop that counts rows, if one does.
  const sweep_loop* rows() const;
  /// The numbers before and behind, of a plane: points or bins.
  std::int64_t in_numbers() const { return formula.transposed ? formula.bins() : formula.n(); }
  std::int64_t out_numbers() const { return formula.transposed ? formula.n() : formula.bins(); }
  int in_planes() const { return formula.real && !formula.transposed ? 1 : 2; }
  int out_planes() const { return formula.real && formula.transposed ? 1 : 2; }
};

/// A sweep whose formula has no digits yet: how long they are in all, and the elements that come in
/// and that leave.
struct sweep_problem {
  transform_sweep sweep = {};
  std::int64_t n = 1, in_elements = 0, out_elements = 0;
};

/// The step of a problem with these digits; none where it has no blocks that fit.
std::optional<fft_step> step_of(const sweep_problem& problem, std::vector<std::int64_t> radices,
                                const engine::machine_spec& machine);

/// The digits that dry runs of some blocks find fastest; none where none fit.
std::vector<std::int64_t> fastest_digits(const sweep_problem& problem,
                                         const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

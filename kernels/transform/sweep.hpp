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

// A sweep loads every block of lines once, transforms some digits, and stores it once, with points
// on partitions at one end at least, or lines on partitions where digits are of several axes. DMA
// bounds it.
namespace papilio::kernels_detail {

/// Layout in HBM of the numbers that a sweep loads, or of those that it stores.
struct sweep_end {
  bool on_partitions = false;            ///< points are on partitions; else lines are
  std::int64_t plane = 0, line = 1;      ///< from plane to plane, from line to line
  std::vector<std::int64_t> axes = {1};  ///< from number to number of each axis
  /// Numbers from this one on are conjugates of numbers `mirror` - number of the mirrored line:
  /// lines are in descending order there, or, where a loop of the sweep counts rows, the rows are.
  /// 0: no numbers are mirrored.
  std::int64_t mirrored_from = 0, mirror = 0;
  /// Where lines are on partitions: numbers [i part, (i + 1) part) are `part_step` elements behind
  /// those before; 0: all are contiguous.
  std::int64_t part = 0, part_step = 0;

  auto fields() const {
    return std::tie(on_partitions, plane, line, axes, mirrored_from, mirror, part, part_step);
  }
};

/// A loop of the sweep over an index beside its lines, with its steps in HBM.
struct sweep_loop {
  std::int64_t extent = 1, in = 0, out = 0;
  bool is_row = false;  ///< it counts the rows of sweeps before, and is the only one that does

  auto fields() const { return std::tie(extent, in, out, is_row); }
};

struct transform_sweep {
  transform_formula formula = {};
  std::int64_t lines = 1;
  sweep_end in = {}, out = {};
  std::vector<sweep_loop> loops = {};  ///< the slowest first
  /// Results [line, number], stored with lines on partitions, are multiplied by the twiddles
  /// w(order)^((twiddle_first + line) number); order 0: they are not.
  std::int64_t twiddle_order = 0, twiddle_first = 0;
  array_operands operands = {};

  // Chosen by step_of.
  std::int64_t block_lines = 0;
  run_depths depths = {};

  auto fields() const {
    return std::tie(formula, lines, in, out, loops, twiddle_order, twiddle_first, operands,
                    block_lines, depths);
  }
  std::string describe() const;
  transform_sweep without_batch() const;
  /// The loop that counts rows, if one does.
  const sweep_loop* rows() const;
  /// Numbers of a line's plane that are loaded and stored: points or bins.
  std::int64_t in_numbers() const { return formula.transposed ? formula.bins() : formula.n(); }
  std::int64_t out_numbers() const { return formula.transposed ? formula.n() : formula.bins(); }
  int in_planes() const { return formula.real && !formula.transposed ? 1 : 2; }
  int out_planes() const { return formula.real && formula.transposed ? 1 : 2; }
};

/// A sweep whose digits are not chosen yet: its length n, and the elements of its input and output.
struct sweep_problem {
  transform_sweep sweep = {};
  std::int64_t n = 1, in_elements = 0, out_elements = 0;
};

/// The step of a problem with these digits; nothing where no block fits on chip.
std::optional<fft_step> step_of(const sweep_problem& problem, std::vector<std::int64_t> radices,
                                const engine::machine_spec& machine);

/// The digits that dry runs of some blocks find fastest; empty where none fit.
std::vector<std::int64_t> fastest_digits(const sweep_problem& problem,
                                         const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

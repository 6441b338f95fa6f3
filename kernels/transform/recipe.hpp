#pragma once

#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/design.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {

/// One sweep of a recipe from one flat tensor in HBM to another.
struct fft_step {
  kernels::kernel_design design = {};
  std::vector<kernels::constant_table> tables = {};
  /// Issues the sweep, with `tables` in HBM.
  std::function<void(engine::core&, const engine::hbm_view& in, const engine::hbm_view& out,
                     std::span<const engine::hbm_view> tables)>
      run = {};
  std::int64_t in_elements = 0, out_elements = 0;
  /// The step completes the one before it: it reads and writes the same tensors.
  bool joins_previous = false;
  double squared_error = 0;  ///< expected, relative, that it adds
  /// Whether its round trip through HBM counts in the floor where data exceed SBUF. A sweep does
  /// not count that a length with better factors, or another layout, would not need.
  bool in_floor = true;
  /// The number of its lines, and how many share tables that are loaded once: fewer lines take more
  /// time each. 0: the step has no such lines.
  std::int64_t lines = 0, lines_together = 0;
};

/// The designs of the steps of a transform, in order.
struct step_designs {
  std::vector<kernels::kernel_design> steps = {};

  auto fields() const { return std::tie(steps); }
  std::string describe() const;  ///< a line each
  step_designs without_batch() const;
};

/// The sweeps of a transform, in order. The first step reads the input, the last writes the output,
/// and each other step reads the output of the one before; two scratch tensors in HBM alternate.
struct fft_recipe {
  std::vector<fft_step> steps = {};

  /// Number of sweeps over HBM; steps that complete others do not count.
  std::int64_t sweeps() const;
  /// Number of sweeps that the floor counts, at least one.
  std::int64_t floor_sweeps() const;
  step_designs design() const;
  double expected_error() const;
  std::vector<kernels::constant_table> tables() const;
  /// The number of lines that take equal time each, and from how many on they do.
  kernels::repetition repeats() const;
  /// Bytes that must move: input and output once, and where they exceed SBUF a round trip for each
  /// further sweep of `round_trip_sweeps`.
  double floor_bytes(const engine::machine_spec& machine, std::int64_t round_trip_sweeps) const;
  /// Issues all steps; tables are the arguments from `first_table` on.
  void run(engine::core& nc, const engine::hbm_view& in, const engine::hbm_view& out,
           const engine::kernel_arguments& arguments, std::size_t first_table) const;
};

/// Device seconds of a dry run.
double modelled_seconds(const fft_recipe& recipe, const engine::machine_spec& machine);

/// The recipe that dry runs find fastest, the first of equal ones; a single one is not run.
fft_recipe fastest(std::vector<fft_recipe> ways, const engine::machine_spec& machine);

/// The kernel of a recipe, whose name, shapes and design are given. `round_trip_sweeps` are as of
/// floor_bytes; 0: those that the floor counts.
kernels::sized_kernel kernel_of(fft_recipe recipe, kernels::sized_kernel shapes,
                                const engine::machine_spec& machine,
                                std::int64_t round_trip_sweeps = 0);

void append(fft_recipe& to, fft_recipe from);
/// Appends a step that a length with better factors, or another order, would not need.
inline void append_aside(fft_recipe& to, fft_step step) {
  step.in_floor = false;
  to.steps.push_back(std::move(step));
}

}  // namespace papilio::kernels_detail

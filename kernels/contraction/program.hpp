#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/contraction/choice.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/kernels/contraction.hpp"

// Contractions as programs of steps in HBM and SBUF; contraction.cpp has the identity.
namespace papilio::kernels_detail {

inline constexpr std::size_t no_value = static_cast<std::size_t>(-1);

/// A step as it runs. Permutations of operands, and sums over labels that one operand alone has,
/// are steps of their own.
struct program_step {
  std::size_t of = 0;  ///< the step of the problem
  std::size_t left = 0, right = no_value, out = 0;
  contraction_step loops;
  step_parts parts = {};  ///< how it is done
  std::array<labelled_tensor, 2> operands = {};
  std::vector<int> labels = {};  ///< the result's labels
  /// Stride of each sliced label in each tensor, in elements.
  std::vector<std::array<std::int64_t, 3>> slice_strides;
  double slices = 1;  ///< how often it runs

  /// Whether its result stays in SBUF for the next step.
  bool keeps() const { return parts.front().keeps; }
  std::string expression() const;  ///< "0 1, 1 2 -> 0 2": labels
  auto fields() const {
    return std::tie(of, left, right, out, loops, parts, operands, labels, slice_strides, slices);
  }
};

/// Steps that run once for each value of some labels.
struct program_loop {
  std::size_t first = 0, last = 0;
  std::vector<std::int64_t> sizes;  ///< sizes of the sliced labels
  bool adds = false;                ///< whether one of the labels is summed

  auto fields() const { return std::tie(first, last, sizes, adds); }
};

struct program_value {
  std::int64_t count = 0;
  std::size_t last_read = 0;      ///< the last step that reads it
  std::size_t result = no_value;  ///< the output that it is, if any

  auto fields() const { return std::tie(count, last_read, result); }
};

/// The design of a contraction: all that a run needs.
struct contraction_program {
  std::vector<program_value> values;  ///< the operands first
  std::vector<program_step> steps;
  std::vector<program_loop> loops;
  std::size_t operands = 0;
  int planes = 1;
  double floor_cycles = 0, floor_bytes = 0;

  /// Says which design does a step and where its result goes.
  std::string describe(const program_step& step) const;
  std::vector<kernels::design_part> parts() const;
  std::string describe() const;
  auto fields() const {
    return std::tie(values, steps, loops, operands, planes, floor_cycles, floor_bytes);
  }
};

/// Elements of each operand; resource_error beyond 64 bits.
std::vector<std::int64_t> operand_counts(const contraction_problem& problem);

/// Designs a problem that require_valid has passed.
contraction_program program_of(const contraction_problem& problem,
                               const kernels::contraction_kernel_options& options,
                               const engine::machine_spec& machine);

void run_program(engine::core& nc, const contraction_program& program,
                 const engine::kernel_arguments& tensors);

}  // namespace papilio::kernels_detail

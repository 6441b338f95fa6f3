#pragma once

#include <string>
#include <vector>

#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/fft.hpp"
#include "papilio/kernels/group_split.hpp"

namespace papilio::kernels_detail {

/// One array transformed along its first axis and others, by all cores of a group. Core c has n1 / p
/// consecutive slices along the first axis, which it transforms along the other axes; an all-to-all
/// brings it a p-th of the columns, which it transforms along the first. Two dispatches and one
/// exchange.
class array_fft {
 public:
  /// The group must outlive it. Errors as fft_kernel; invalid_argument unless the transform is
  /// complex, along the first and another axis, and the cores divide the first extent and the
  /// product of the others.
  array_fft(engine::device_group& on, const fft_problem& problem,
            const kernels::fft_kernel_options& options, engine::run_mode mode);

  std::string explain() const;
  double expected_error() const;
  /// Planes, then the extents; and of the result those behind the first joined.
  const engine::tensor_shape& input() const { return slices_.what().inputs[0]; }
  const engine::tensor_shape& output() const { return columns_.what().outputs[0]; }
  /// Arrays of the host, or shapes in a dry run.
  void run(const engine::launch_input& in, const engine::launch_output& out) const;

 private:
  engine::device_group* on_;
  engine::run_mode mode_;
  kernels::prepared_split slices_, columns_;
  std::vector<engine::device_buffer> sent_, received_;  // of each core, a piece for each core
};

}  // namespace papilio::kernels_detail

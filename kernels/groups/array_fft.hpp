#pragma once

#include "kernels/groups/division.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

/// One array transformed along its first axis and others, by all cores of a group. Core c has n1 / p
/// consecutive slices along the first axis, which it transforms along the other axes; an all-to-all
/// brings it a p-th of the columns, which it transforms along the first. The result has the axes
/// behind the first joined. The group must outlive it.
/// Errors as fft_kernel; invalid_argument unless the transform is complex, along the first and
/// another axis, and the cores divide the first extent and the product of the others.
exchanged_split array_fft(engine::device_group& on, const fft_problem& problem,
                          const kernels::fft_kernel_options& options, engine::run_mode mode);

}  // namespace papilio::kernels_detail

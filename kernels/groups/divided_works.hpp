#pragma once

#include "kernels/groups/division.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/fft.hpp"
#include "papilio/kernels/mp2.hpp"

// Operations as work divided among the cores of a group, which must outlive it.
namespace papilio::kernels_detail {

/// One complex line by large_fft. Errors as large_fft; device_error where one core would compute
/// alone.
divided_work divided_line(engine::device_group& on, const fft_problem& line,
                          const kernels::fft_kernel_options& options, engine::run_mode mode);

/// One array transformed along its first axis and others. Core c has n1 / p consecutive slices
/// along the first axis, which it transforms along the other axes; an all-to-all brings it a p-th
/// of the columns, which it transforms along the first. The result has the axes behind the first
/// joined.
/// Errors as fft_kernel; invalid_argument unless the transform is complex, along the first and
/// another axis, and the cores divide the first extent and the product of the others.
divided_work divided_array(engine::device_group& on, const fft_problem& problem,
                           const kernels::fft_kernel_options& options, engine::run_mode mode);

/// A contraction by sharded_contraction.
divided_work divided_contraction(engine::device_group& on, const contraction_problem& problem,
                                 int label, const kernels::contraction_kernel_options& options,
                                 engine::run_mode mode);

/// Energies by sharded_mp2, rounded to fp32.
divided_work divided_energies(engine::device_group& on, const pair_energy_problem& problem,
                              const kernels::mp2_energy_kernel_options& options,
                              engine::run_mode mode);

}  // namespace papilio::kernels_detail

#pragma once

#include <string>

#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

/// Why a cosine or sine problem has no kernel; empty where it has one.
std::string trigonometric_refusal(const fft_problem& problem);

/// fft_kernel of a checked cosine or sine problem in native precision.
kernels::sized_kernel trigonometric_fft(const fft_problem& problem,
                                        const kernels::fft_kernel_options& options,
                                        const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

#pragma once

#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

/// fft_kernel of a checked real problem in native precision.
kernels::sized_kernel real_fft(const fft_problem& problem,
                               const kernels::fft_kernel_options& options,
                               const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

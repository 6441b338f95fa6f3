#pragma once

#include <cstdint>

#include "kernels/short_time/inverse_short_time.hpp"
#include "kernels/short_time/short_time.hpp"

// Short-time transforms whose segments do not fit on chip, or have a prime factor that is too large
// for a matrix: a program of several kernels, with windowed segments in HBM as the lines of
// fft_kernel.
namespace papilio::kernels_detail {

/// Throws resource_error where so many segments of n samples do not fit a core's HBM.
void require_room_of_segments(const char* name, double segments, std::int64_t n,
                              const engine::machine_spec& machine);

/// The kernels. Errors as fft_kernel, and resource_error as above.
kernels::sized_kernel long_short_time_kernel(const short_time_design& design,
                                             const short_time_values& values,
                                             const engine::machine_spec& machine);
kernels::sized_kernel long_inverse_kernel(const inverse_short_time_design& design,
                                          const inverse_short_time_values& values,
                                          const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

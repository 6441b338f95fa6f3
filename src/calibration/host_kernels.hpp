#pragma once

#include <cstddef>

namespace papilio::calibration {

/// `rounds` times 12 independent fused multiply-adds on the widest vectors; returns the number of
/// floating-point operations, two for each lane of each.
double multiply_add_float(std::size_t rounds, float* sink);
double multiply_add_double(std::size_t rounds, double* sink);

/// Copies `count` floats, a multiple of 256, between buffers aligned to 64 bytes.
void copy_floats(const float* from, float* to, std::size_t count);

}  // namespace papilio::calibration

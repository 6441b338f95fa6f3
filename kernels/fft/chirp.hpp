#pragma once

#include <complex>
#include <cstdint>
#include <vector>

// What Bluestein's algorithm multiplies by, in double: host work, done when tables are filled.
namespace papilio::kernels_detail {

/// c[j] = exp(-pi i j^2 / n), j < count; conjugated where inverse. j^2 is reduced modulo 2n in
/// integers.
std::vector<std::complex<double>> chirp(std::int64_t n, std::int64_t count, bool inverse);

/// 1/m times the DFT of the filter conj(c[|d|]), -in < d < out, wrapped to m >= in + out - 1:
/// O(m log m) for smooth m.
std::vector<std::complex<double>> filter_spectrum(std::int64_t n, std::int64_t in, std::int64_t out,
                                                  std::int64_t m, bool inverse);

}  // namespace papilio::kernels_detail

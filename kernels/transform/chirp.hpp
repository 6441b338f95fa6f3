#pragma once

#include <complex>
#include <cstdint>
#include <tuple>
#include <vector>

// The vectors of Bluestein's algorithm, computed on the host in double when tables are filled.
namespace papilio::kernels_detail {

/// c[j] = exp(-pi i j^2 / n), j < count; conjugated where inverse. j^2 is reduced modulo 2n in
/// integers.
std::vector<std::complex<double>> chirp(std::int64_t n, std::int64_t count, bool inverse);

/// 1/m times the DFT of the filter conj(c[|d|]), -in < d < out, wrapped to m >= in + out - 1:
/// O(m log m) for smooth m.
std::vector<std::complex<double>> filter_spectrum(std::int64_t n, std::int64_t in, std::int64_t out,
                                                  std::int64_t m, bool inverse);

/// A factor of the points of a line beside the chirp.
///   both_parts   1 / (1 + i): the input holds each real number as both parts of a complex one
///   mirrored     2 for bin k that stands for bin n - k too, 1 for bins 0 and n/2
enum class chirp_weight : std::uint8_t { none, both_parts, mirrored };

/// One of the vectors of Bluestein's algorithm for lines of n points, of which the first `in` are
/// not zero and `out` results are wanted, with convolutions of m points.
///   points    c[j] times the weight, j < in
///   filter    filter_spectrum
///   results   c[k], k < out
struct chirp_factors {
  enum class part : std::uint8_t { none, points, filter, results };

  part of = part::none;
  std::int64_t n = 1, in = 1, out = 1, m = 1;
  bool inverse = false;
  chirp_weight weight = chirp_weight::none;

  explicit operator bool() const { return of != part::none; }
  std::vector<std::complex<double>> values() const;

  auto fields() const { return std::tie(of, n, in, out, m, inverse, weight); }
};

}  // namespace papilio::kernels_detail

#pragma once

#include <complex>
#include <cstdint>
#include <tuple>
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

/// What the points of a line are multiplied by beside the chirp.
///   both_parts   1 / (1 + i), where a real number stands for both parts of a complex one
///   mirrored     2, where bin k stands for bin n - k too: not for 0 and n/2
enum class chirp_weight : std::uint8_t { none, both_parts, mirrored };

/// One of the vectors of Bluestein's algorithm for lines of n points, of which there are `in`, and
/// `out` results are wanted, with m points in between.
///   points    c[j] times the weight, of the points that come in
///   filter    filter_spectrum
///   results   c[k], of the results
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

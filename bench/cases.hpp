#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace papilio::bench {

enum class shape { c2c, r2c, c2r, batch, nd };

/// One row: what is transformed, forward (c2r: back), out of place.
struct bench_case {
  std::string group = {};  ///< the class: "c2c", "r2c", "double", ...
  std::string size = {};   ///< as printed and as --sizes takes it: "1024", "32*1024", "64x64"
  shape kind = shape::c2c;
  bool is_double = false;
  std::size_t batch = 1;
  std::vector<std::size_t> extents = {};  ///< of one transform; of the real array for r2c and c2r

  std::size_t points() const;      ///< of one transform
  double flop() const;             ///< 5 n log2 n of every transform, half of it for real ones
  double bytes() const;            ///< of the input and the output together
  double transform_bytes() const;  ///< the same of one transform
};

/// Every case, class by class.
std::vector<bench_case> all_cases();

/// A length of no class: complex float.
bench_case other_case(std::size_t n);

/// Least ratios that --check lets pass: of one size to FFTW and to MKL, and the geometric mean of a
/// class to the faster of the two (smooth: to FFTW).
inline constexpr double least_of_fftw = 0.95, least_of_mkl = 0.80;
double least_mean(const std::string& group);

struct planning_limit {
  std::size_t n;
  double milliseconds;
};
/// Longest planning time (effort::estimate) for lengths of up to n, ascending.
std::vector<planning_limit> planning_limits();

}  // namespace papilio::bench

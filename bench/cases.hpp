#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace papilio::bench {

enum class shape { c2c, r2c, c2r, batch, nd };

/// One row: what is transformed, forward (c2r: back), out of place.
struct bench_case {
  std::string group = {};  ///< the class: "c2c", "r2c", "double", ...
  std::string size = {};   ///< as printed: "1024", "32 of 1024", "64x64"
  shape kind = shape::c2c;
  bool is_double = false;
  std::size_t batch = 1;
  std::vector<std::size_t> extents = {};  ///< of one transform; of the real array for r2c and c2r

  std::size_t points() const;  ///< of one transform
  double flop() const;         ///< 5 n log2 n of every transform, half of it for real ones
};

/// Every case, class by class.
std::vector<bench_case> all_cases();

/// Complex floats that are timed on several threads.
std::vector<bench_case> scaling_cases();

/// A length of no class: complex float.
bench_case other_case(std::size_t n);

}  // namespace papilio::bench

#pragma once

#include <cstdint>
#include <vector>

#include "papilio/dispatch/operation.hpp"

namespace papilio::kernels_detail {

/// The axis along which transforms of real numbers have n/2 + 1 bins, and its surroundings: [outer,
/// n, inner].
struct halved_axis {
  std::size_t axis = 0;
  std::int64_t outer = 1, n = 1, inner = 1;
  std::vector<std::size_t> others = {};  ///< axes of complex transforms

  std::int64_t bins() const { return n / 2 + 1; }
  std::int64_t reals() const { return outer * n * inner; }
};

/// Of a checked problem of real numbers.
halved_axis halved_axis_of(const fft_problem& problem);

}  // namespace papilio::kernels_detail

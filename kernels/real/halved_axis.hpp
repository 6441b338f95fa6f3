#pragma once

#include <cstdint>
#include <vector>

#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

/// The axis along which transforms of real numbers have n/2 + 1 bins, and its surroundings: [outer,
/// n, inner].
struct halved_axis {
  std::size_t axis = 0;
  std::int64_t outer = 1, n = 1, inner = 1;
  std::vector<int> others = {};  ///< axes of complex transforms

  std::int64_t bins() const { return n / 2 + 1; }
  std::int64_t reals() const { return outer * n * inner; }
};

/// Of a shape of real numbers; errors as rfft_kernel says, in the name of `function`.
halved_axis checked(const kernels::fft_shape& shape, const engine::machine_spec& machine,
                    const char* function);

}  // namespace papilio::kernels_detail

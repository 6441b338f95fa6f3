#pragma once

#include <cstdint>

namespace papilio::kernels_detail {

constexpr std::int64_t ceil_div(std::int64_t n, std::int64_t d) {
  return n / d + (n % d != 0);  // n + d may overflow
}

}  // namespace papilio::kernels_detail

#pragma once

#include <cstdint>

namespace papilio::kernels_detail {

constexpr std::int64_t ceil_div(std::int64_t n, std::int64_t d) { return (n + d - 1) / d; }

}  // namespace papilio::kernels_detail

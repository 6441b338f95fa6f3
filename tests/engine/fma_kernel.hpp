#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "papilio/engine.hpp"

namespace papilio::engine::test {

/// out(0) = in(0) in(1) + in(2), for matrices of one shape.
inline void fused_multiply_add(core& nc, const kernel_arguments& t) {
  const std::int64_t rows = t.out(0).extent(0), columns = t.out(0).extent(1);
  constexpr std::int64_t step = 2048;
  for (std::int64_t r = 0; r < rows; r += 128)
    for (std::int64_t c = 0; c < columns; c += step) {
      const std::int64_t height = std::min<std::int64_t>(128, rows - r);
      const std::int64_t width = std::min(step, columns - c);
      const auto part = [&](const hbm_view& whole) {
        return whole.slice(0, r, height).slice(1, c, width);
      };
      const tile x = nc.sbuf(int(height), width), y = nc.sbuf(int(height), width);
      const tile z = nc.sbuf(int(height), width);
      nc.issue(dma_copy{.out = x.whole(), .in = part(t.in(0))});
      nc.issue(dma_copy{.out = y.whole(), .in = part(t.in(1))});
      nc.issue(dma_copy{.out = z.whole(), .in = part(t.in(2))});
      nc.issue(tensor_tensor{.out = x, .left = x, .right = y, .op = alu_op::multiply});
      nc.issue(tensor_tensor{.out = x, .left = x, .right = z, .op = alu_op::add});
      nc.issue(dma_copy{.out = part(t.out(0)), .in = x.whole()});
    }
}

inline kernel fma_kernel() { return {.name = "fma", .body = fused_multiply_add}; }

/// The message of the exception of this type that `call` throws, or what happened instead.
template <class Error, class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "nothing was thrown";
}

}  // namespace papilio::engine::test

#pragma once

#include <array>
#include <cstdint>

#include "papilio/signal/window.hpp"

namespace papilio::signal_detail {

/// Coefficients a[m] of a window sum_m (-1)^m a[m] cos(m x), in units of 1e-9.
using cosine_terms = std::array<std::int64_t, 5>;

/// Returns the coefficients of a kind that is such a sum, of others those of the rectangular window.
constexpr cosine_terms cosine_terms_of(window_kind kind) {
  switch (kind) {
    case window_kind::hann:
      return {500000000, 500000000, 0, 0, 0};
    case window_kind::hamming:
      return {540000000, 460000000, 0, 0, 0};
    case window_kind::blackman:
      return {420000000, 500000000, 80000000, 0, 0};
    case window_kind::nuttall:
      return {363581900, 489177500, 136599500, 10641100, 0};
    case window_kind::blackman_harris:
      return {358750000, 488290000, 141280000, 11680000, 0};
    case window_kind::flat_top:
      return {215578950, 416631580, 277263158, 83578947, 6947368};
    default:
      return {1000000000, 0, 0, 0, 0};
  }
}

}  // namespace papilio::signal_detail

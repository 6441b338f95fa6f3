#include "fft/line.hpp"

#include <cmath>

namespace papilio::fft_detail {

double scale_of(normalization norm, direction dir, std::size_t n) {
  const double length = static_cast<double>(n);
  switch (norm) {
    case normalization::backward:
      return dir == direction::inverse ? 1 / length : 1;
    case normalization::orthonormal:
      return 1 / std::sqrt(length);
    case normalization::forward:
      return dir == direction::forward ? 1 / length : 1;
    case normalization::none:
      return 1;
  }
  throw invalid_argument("fft_options: norm is none of the enumerators");
}

void require_length(const char* function, const char* argument, std::size_t got,
                    std::size_t expected) {
  if (got != expected)
    throw shape_error(base_detail::message(function, ": ", argument, " must hold ", expected,
                                           " elements, got ", got));
}

void require_scratch(const char* function, std::size_t got, std::size_t least) {
  if (got < least)
    throw shape_error(base_detail::message(function, ": scratch must hold at least ", least,
                                           " elements, got ", got));
}

void require_same_or_apart(const char* function, const void* in, std::size_t in_bytes,
                           const void* out, std::size_t out_bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(in), b = reinterpret_cast<std::uintptr_t>(out);
  if (a != b && byte_range{a, a + in_bytes}.overlaps({b, b + out_bytes}))
    throw invalid_argument(
        base_detail::message(function, ": in and out overlap without being the same; out begins ",
                             static_cast<std::ptrdiff_t>(b - a), " bytes after in"));
}

}  // namespace papilio::fft_detail

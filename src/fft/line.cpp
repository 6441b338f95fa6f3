#include "fft/line.hpp"

#include <cmath>
#include <string>

namespace papilio::fft_detail {

long double scale_of(normalization norm, direction dir, std::size_t n) {
  const long double length = static_cast<long double>(n);
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

normalization swapped(normalization norm) {
  switch (norm) {
    case normalization::backward:
      return normalization::forward;
    case normalization::forward:
      return normalization::backward;
    default:
      return norm;
  }
}

void throw_length(const char* function, const char* argument, std::size_t got, std::size_t expected,
                  const char* of_many_lines) {
  std::string text = base_detail::message(function, ": ", argument, " must hold ", expected,
                                          " elements, got ", got);
  if (of_many_lines != nullptr && got > expected && got % expected == 0)
    text += base_detail::message("; ", of_many_lines, " transforms ", got / expected, " lines");
  throw shape_error(text);
}

void throw_scratch(const char* function, std::size_t got, std::size_t least) {
  throw shape_error(base_detail::message(function, ": scratch must hold at least ", least,
                                         " elements, got ", got));
}

void throw_overlap(const char* function, std::ptrdiff_t distance_bytes) {
  throw invalid_argument(base_detail::message(function, ": in and out overlap; out begins ",
                                              distance_bytes, " bytes after in"));
}

}  // namespace papilio::fft_detail

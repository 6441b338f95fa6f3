#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

std::uint64_t nearest_frame(double seconds, double rate_hz) {
  if (!(seconds >= 0 && std::isfinite(seconds)))
    throw invalid_argument(base_detail::message(
        "nearest_frame: seconds must be finite and at least 0, got ", seconds));
  if (!(rate_hz > 0 && std::isfinite(rate_hz)))
    throw invalid_argument(
        base_detail::message("nearest_frame: rate_hz must be positive and finite, got ", rate_hz));
  const double at = seconds * rate_hz;
  if (at >= 0x1p63) return std::numeric_limits<std::uint64_t>::max();
  // A decimal time halfway between two frames may be rounded to either side of it.
  const double rounding = std::max(1e-6, 4 * std::numeric_limits<double>::epsilon() * at);
  return static_cast<std::uint64_t>(std::floor(at + (0.5 + rounding)));
}

}  // namespace papilio

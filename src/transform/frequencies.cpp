#include "papilio/transform/frequencies.hpp"

#include "papilio/base/error.hpp"

namespace papilio::transform_detail {

std::size_t checked_frequencies(const char* function, std::ptrdiff_t n, double d) {
  if (n < 1)
    throw invalid_argument(base_detail::message(function, ": n must be at least 1, got ", n));
  if (d == 0) throw invalid_argument(base_detail::message(function, ": d must not be 0"));
  return static_cast<std::size_t>(n);
}

}  // namespace papilio::transform_detail

#include "papilio/transform/trigonometric.hpp"

namespace papilio::transform_detail {

void require_trigonometric_type(const char* function, int type, std::size_t n, bool is_cosine) {
  if (type < 1 || type > 4)
    throw invalid_argument(base_detail::message(function, ": type must be 1 to 4, got ", type));
  if (is_cosine && type == 1 && n < 2)
    throw invalid_argument(
        base_detail::message(function, ": n of type 1 must be at least 2, got ", n));
}

}  // namespace papilio::transform_detail

#include "kernels/short_time/stft_design.hpp"

#include <algorithm>
#include <complex>
#include <limits>

#include "base/roots_of_unity.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using base_detail::roots_of_unity;

void require_finite(const char* what, std::span<const float> values) {
  constexpr float most = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= -most && values[i] <= most))
      throw invalid_argument(
          base_detail::message(what, " must be finite, got ", values[i], " at ", i));
}

std::vector<float> hann(std::int64_t n) {
  const roots_of_unity<double> roots(static_cast<std::size_t>(n));
  std::vector<float> window(static_cast<std::size_t>(n));
  for (std::size_t j = 0; j < window.size(); ++j)
    window[j] = static_cast<float>(0.5 - 0.5 * roots(j).real());
  return window;
}

}  // namespace papilio::kernels_detail

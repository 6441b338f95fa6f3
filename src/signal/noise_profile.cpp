#include <algorithm>
#include <bit>
#include <cmath>

#include "papilio/base/error.hpp"
#include "papilio/signal/spectral_gate.hpp"

namespace papilio {
namespace {

// Buckets of a histogram over powers of two, 8 to the octave: the upper bits of a float, exponent
// and three of the mantissa, count them without a logarithm.
constexpr int least_exponent = -80, most_exponent = 80, steps = 8;
constexpr std::size_t buckets = (most_exponent - least_exponent) * steps;
constexpr std::uint32_t first_code = static_cast<std::uint32_t>(127 + least_exponent) * steps;

std::size_t bucket_of(float power) {
  const std::uint32_t code = std::bit_cast<std::uint32_t>(power) >> 20;
  return std::clamp<std::size_t>(code, first_code, first_code + buckets - 1) - first_code;
}

double lower_edge(std::size_t bucket) {
  const auto octave = static_cast<int>(bucket / steps);
  return std::ldexp(1 + static_cast<double>(bucket % steps) / steps, octave + least_exponent);
}

// Linear within the bucket that holds the quantile; 0 of no values.
double quantile(std::span<const std::uint32_t> counts, double q) {
  double all = 0;
  for (const std::uint32_t c : counts) all += c;
  double below = 0;
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
    const double count = counts[bucket];
    if (count > 0 && below + count >= q * all) {
      const double low = lower_edge(bucket), high = lower_edge(bucket + 1);
      return low + (high - low) * (q * all - below) / count;
    }
    below += count;
  }
  return 0;
}

}  // namespace

template <class T>
noise_profile<T>::noise_profile(std::size_t bins) : sum_(bins), histogram_({bins, buckets}) {
  if (bins == 0) throw invalid_argument("noise_profile: bins must be at least 1, got 0");
}

template <class T>
void noise_profile<T>::add(std::span<const std::complex<T>> segment) {
  if (segment.size() != bins())
    throw shape_error(base_detail::message("noise_profile::add: segment must hold ", bins(),
                                           " bins, got ", segment.size()));
  for (std::size_t k = 0; k < bins(); ++k) {
    const double re = static_cast<double>(segment[k].real()),
                 im = static_cast<double>(segment[k].imag());
    const double power = re * re + im * im;
    if (!std::isfinite(power) || power == 0) continue;
    sum_[k] += power;
    ++histogram_(k, bucket_of(static_cast<float>(std::min(power, 1e38))));
  }
  ++segments_;
}

template <class T>
array<T, 1> noise_profile<T>::mean() const {
  array<T, 1> out(bins());
  for (std::size_t k = 0; k < bins(); ++k) {
    double count = 0;
    for (std::size_t b = 0; b < buckets; ++b) count += histogram_(k, b);
    out[k] = count == 0 ? T(0) : static_cast<T>(sum_[k] / count);
  }
  return out;
}

template <class T>
array<T, 1> noise_profile<T>::from_quantile(double q) const {
  if (!(q > 0 && q < 1))
    throw invalid_argument(base_detail::message(
        "noise_profile::from_quantile: q must be above 0 and below 1, got ", q));
  array<T, 1> out(bins());
  for (std::size_t k = 0; k < bins(); ++k)
    out[k] = static_cast<T>(quantile({&histogram_(k, 0), buckets}, q) / -std::log1p(-q));
  return out;
}

template class noise_profile<float>;
template class noise_profile<double>;

}  // namespace papilio

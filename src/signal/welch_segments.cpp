#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"
#include "papilio/signal/stft.hpp"
#include "papilio/signal/welch.hpp"
#include "signal/welch_scale.hpp"
#include "signal/wide_spectrum.hpp"

namespace papilio {

using signal_detail::trend;

namespace {
namespace welch_parts {

template <class T>
array<T, 1> weights_of(const welch_options& o) {
  array<T, 1> window = make_window<T>(o.window, o.segment_length);
  const T largest = *std::ranges::max_element(window.flat());
  const T least = std::sqrt(std::numeric_limits<T>::min());  // powers of less vanish
  if (!(largest >= least))
    throw invalid_argument(
        base_detail::message("welch_options: window's largest weight must be at least ", least,
                             ", got ", largest, " of ", to_string(o.window)));
  return window;
}

// out = (samples - trend) window; the line by least squares, with the middle as its origin.
template <class T>
trend detrend_and_weight(std::span<const T> samples, std::span<const T> window, detrending kind,
                         T* out) {
  const std::size_t n = samples.size();
  double mean = 0, slope = 0;
  const double middle = 0.5 * static_cast<double>(n - 1);
  if (kind != detrending::none) {
    for (const T x : samples) mean += static_cast<double>(x);
    mean /= static_cast<double>(n);
  }
  if (kind == detrending::linear && n > 1) {
    double products = 0;
    for (std::size_t j = 0; j < n; ++j)
      products += (static_cast<double>(j) - middle) * (static_cast<double>(samples[j]) - mean);
    const double length = static_cast<double>(n);
    slope = products / (length * (length * length - 1) / 12);
  }
  for (std::size_t j = 0; j < n; ++j)
    out[j] = static_cast<T>(static_cast<double>(samples[j]) - mean -
                            slope * (static_cast<double>(j) - middle)) *
             window[j];
  return {mean, slope};
}

// The exponent takes the largest sample times 2^-exponent to 1/2 ... 1; it is 0 for silence and
// where samples are not finite.
template <class T>
int exponent_of(std::span<const T> samples) {
  T largest = 0;
  for (const T x : samples) largest = std::max(largest, std::abs(x));
  int exponent = 0;
  if (std::isfinite(largest)) std::frexp(largest, &exponent);
  return exponent;
}

// Whether T does not hold the power, or only with few digits.
template <class T>
bool vanishes(std::complex<T> x) {
  using limits = std::numeric_limits<T>;
  static const T least = std::ldexp(std::sqrt(limits::min()), limits::digits + 6);
  return std::abs(x.real()) < least && std::abs(x.imag()) < least;
}

}  // namespace welch_parts
}  // namespace

welch_options signal_detail::checked_segments(welch_options o) {
  const auto require = [](bool good, const char* name, const char* bound, auto value) {
    if (!good)
      throw invalid_argument(
          base_detail::message("welch_options: ", name, " must be ", bound, ", got ", value));
  };
  require(o.rate_hz > 0 && std::isfinite(o.rate_hz), "rate_hz", "positive and finite", o.rate_hz);
  require(o.segment_length >= 1 && o.segment_length <= max_n_fft, "segment_length",
          "1 ... 16777216", o.segment_length);
  if (o.n_fft == 0) o.n_fft = o.segment_length;
  require(o.n_fft >= o.segment_length && o.n_fft <= max_n_fft, "n_fft",
          "at least segment_length and at most 16777216", o.n_fft);
  if (!o.overlap) o.overlap = o.segment_length / 2;
  require(*o.overlap < o.segment_length, "overlap", "below segment_length", *o.overlap);
  return o;
}

namespace signal_detail {

template <class T>
welch_segments<T>::welch_segments(const welch_options& o)
    : overlap_(*o.overlap),
      detrend_(o.detrend),
      transform_(o.n_fft, {.norm = normalization::none}),
      window_(welch_parts::weights_of<T>(o)),
      // Sums of segment_length products with weights, which are about 1.
      bound_(std::sqrt(std::numeric_limits<T>::max()) / static_cast<T>(4 * o.segment_length)),
      line_(o.segment_length),
      windowed_(o.n_fft),
      spectrum_(o.n_fft / 2 + 1),
      scratch_(transform_.scratch_size()) {}

template <class T>
void welch_segments<T>::expect(std::span<const T> samples) {
  received_ += samples.size();
  if (any_beyond(view<const T, 2>(samples.data(), {samples.size(), 1}), bound_))
    large_until_ = received_;
}

template <class T>
bool welch_segments<T>::take(std::span<const T>& samples) {
  const std::size_t count = std::min(samples.size(), line_.size() - filled_);
  std::copy_n(samples.begin(), count, line_.begin() + filled_);
  filled_ += count;
  samples = samples.subspan(count);
  return filled_ == line_.size();
}

// Computes the spectrum of samples 2^-exponent.
template <class T>
trend welch_segments<T>::transform(int exponent) {
  std::span<const T> segment = line_.flat();
  if (exponent != 0) {
    const std::span<T> scaled = windowed_.flat().first(segment.size());
    std::ranges::transform(segment, scaled.begin(),
                           [exponent](T x) { return std::ldexp(x, -exponent); });
    segment = scaled;
  }
  const trend removed =
      welch_parts::detrend_and_weight<T>(segment, window_.flat(), detrend_, windowed_.data());
  transform_.forward(windowed_.flat(), spectrum_.flat(), scratch_.flat());
  return {std::ldexp(removed.mean, exponent), std::ldexp(removed.slope, exponent)};
}

template <class T>
segment_spectrum<T> welch_segments<T>::analyse() {
  const std::span<const T> segment = line_.flat();
  const std::size_t hop = line_.size() - overlap_;
  int exponent = segments_ * hop < large_until_ ? welch_parts::exponent_of(segment) : 0;
  trend removed = transform(exponent);
  if (exponent == 0 && std::ranges::all_of(spectrum_, welch_parts::vanishes<T>)) {
    exponent = welch_parts::exponent_of(segment);
    if (exponent != 0) removed = transform(exponent);
  }
  ++segments_;
  std::copy(line_.end() - overlap_, line_.end(), line_.begin());
  filled_ = overlap_;
  return {spectrum_.flat(), exponent, removed};
}

template <class T>
void welch_segments<T>::reset() {
  segments_ = received_ = large_until_ = 0;
  filled_ = 0;
}

template class welch_segments<float>;
template class welch_segments<double>;

}  // namespace signal_detail
}  // namespace papilio

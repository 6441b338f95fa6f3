#include "signal/yin_differences.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "papilio/base/error.hpp"
#include "signal/rhythm_parts.hpp"

namespace papilio::signal_detail {
namespace {
namespace yin_difference_parts {

using namespace rhythm_parts;

constexpr std::size_t longest_frame = std::size_t{1} << 20;

segment_geometry checked_geometry(const char* name, const yin_options& o) {
  require_positive(name, "rate_hz", o.rate_hz);
  require_positive(name, "fmin_hz", o.fmin_hz);
  require(o.fmax_hz <= o.rate_hz / 2, name, "fmax_hz", "at most half of rate_hz", o.fmax_hz);
  require(o.fmax_hz > o.fmin_hz, name, "fmax_hz", "above fmin_hz", o.fmax_hz);
  require(o.frame >= 4 && o.frame <= longest_frame, name, "frame", "4 ... 1048576", o.frame);
  require(o.hop >= 1, name, "hop", "at least 1", o.hop);
  const double least_hz = o.rate_hz / static_cast<double>(o.frame - 1);
  if (o.fmin_hz <= least_hz)
    throw invalid_argument(base_detail::message(name, ": fmin_hz must be above ", least_hz,
                                                " for a frame of ", o.frame, " samples at ",
                                                o.rate_hz, " Hz, got ", o.fmin_hz));
  return segment_geometry({.n_fft = o.frame, .hop = o.hop, .centre = o.centre});
}

/// The least length that is fast and has room: 4, 5 or 6 times a power of 2.
std::size_t transform_points(std::size_t room) {
  for (std::size_t unit = 1;; unit *= 2)
    for (const std::size_t factor : {4, 5, 6})
      if (factor * unit >= room) return factor * unit;
}

/// Replaces values by the sums of those before and themselves. One addition waits for another in a
/// group of four only once.
void add_up(std::span<double> values) {
  double before = 0;
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    const double two = values[i] + values[i + 1], three = two + values[i + 2],
                 four = two + (values[i + 2] + values[i + 3]);
    values[i] += before;
    values[i + 1] = before + two;
    values[i + 2] = before + three;
    values[i + 3] = before + four;
    before += four;
  }
  for (; i < values.size(); ++i) before = values[i] += before;
}

}  // namespace yin_difference_parts
}  // namespace

using namespace yin_difference_parts;

template <class T>
yin_differences<T>::yin_differences(const char* name, const yin_options& o)
    : geometry_(checked_geometry(name, o)),
      first_lag_(static_cast<std::size_t>(std::floor(o.rate_hz / o.fmax_hz))),
      last_lag_(std::min(static_cast<std::size_t>(std::ceil(o.rate_hz / o.fmin_hz)), o.frame - 1)),
      plan_(transform_points(o.frame + last_lag_)),
      ones_({plan_.size()}) {
  std::ranges::fill(ones_, T(1));
}

template <class T>
yin_differences<T>::work::work(const yin_differences& of)
    : samples({of.plan_.size()}),
      correlation({of.plan_.size()}),
      power({of.plan_.bins()}),
      total({of.plan_.bins()}),
      spectrum({of.plan_.bins()}),
      scratch({std::max(of.plan_.scratch_size(), of.plan_.spectrum_scratch_size())}),
      energy(of.last_lag_),
      sum(of.last_lag_ + 1),
      normalised(of.last_lag_ - of.first_lag_ + 1) {}

template <class T>
void yin_differences<T>::add_channel(std::size_t channel, work& w) const {
  array<T, 1>& power = channel == 0 ? w.total : w.power;
  plan_.forward_power(w.samples.flat(), ones_.flat(), power.flat(), w.scratch.flat());
  if (channel == 0)
    std::ranges::fill(w.energy, 0.0);
  else
    for (std::size_t k = 0; k < w.total.size(); ++k) w.total.data()[k] += w.power.data()[k];
  for (std::size_t m = 0; m < w.energy.size(); ++m) {
    const auto x = static_cast<double>(w.samples.data()[m]);
    w.energy[m] += x * x;
  }
}

// A sample that is not finite makes NaN of bin 0.
template <class T>
bool yin_differences<T>::is_finite(const work& w) const {
  return std::isfinite(w.total[0]);
}

template <class T>
void yin_differences<T>::refuse(const char* function, std::span<const T> samples) {
  for (const T sample : samples)
    if (!std::isfinite(sample))
      throw invalid_argument(
          base_detail::message(function, ": samples must be finite, got ", sample));
  throw invalid_argument(base_detail::message(
      function, ": samples must be so small that sums of their squares are finite, got ",
      std::ranges::max(samples, {}, [](T v) { return std::abs(v); })));
}

// r is the inverse transform of |X|^2, in the precision of the signal; sums of it are doubles.
template <class T>
void yin_differences<T>::finish(const char* function, work& w) const {
  const T* const total = w.total.data();
  std::complex<T>* const spectrum = w.spectrum.data();
  for (std::size_t k = 0; k < w.total.size(); ++k) spectrum[k] = total[k];
  plan_.inverse(w.spectrum.flat(), w.correlation.flat(), w.scratch.flat());
  const T* const r = w.correlation.data();
  if (!std::isfinite(r[0])) refuse(function, {w.samples.data(), geometry_.n()});
  add_up(w.energy);
  const auto energy = static_cast<double>(r[0]);
  for (std::size_t k = 1; k <= last_lag_; ++k)
    w.sum[k] = 2 * (energy - static_cast<double>(r[k])) - w.energy[k - 1];
  std::copy(w.sum.begin() + static_cast<std::ptrdiff_t>(first_lag_), w.sum.end(),
            w.normalised.begin());
  add_up(w.sum);
  constexpr double least = std::numeric_limits<T>::min();
  const double* const sum = w.sum.data() + first_lag_;
  for (std::size_t i = 0; i < w.normalised.size(); ++i) {
    const auto lag = static_cast<double>(static_cast<std::int32_t>(first_lag_ + i));
    w.normalised[i] *= lag / (sum[i] + lag * least);
  }
}

template <class T>
double yin_differences<T>::period(std::span<const double> d, std::size_t i) const {
  const auto lag = static_cast<double>(first_lag_ + i);
  if (i == 0 || i + 1 == d.size()) return lag;
  const double curvature = d[i + 1] + d[i - 1] - 2 * d[i], slope = (d[i + 1] - d[i - 1]) / 2;
  return std::abs(slope) >= std::abs(curvature) ? lag : lag - slope / curvature;
}

template class yin_differences<float>;
template class yin_differences<double>;

void require_segments(const char* function, const segment_geometry& geometry, std::size_t samples,
                      std::size_t room) {
  const std::uint64_t segments = geometry.segments(samples);
  if (segments == 0)
    throw invalid_argument(base_detail::message(function, ": signal must have at least ",
                                                geometry.least_samples(1), " samples, got ",
                                                samples));
  if (room != segments)
    throw shape_error(
        base_detail::message(function, ": out must have ", segments, " segments, got ", room));
}

}  // namespace papilio::signal_detail

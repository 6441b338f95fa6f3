// Sound level meter: weighted samples, exponential averages of their squares, and statistics of
// these.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/subnormals.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/levels.hpp"
#include "signal/level_parts.hpp"

namespace papilio {
namespace {
namespace level_steps {

using namespace level_parts;

/// Counts of levels in classes of 0.1 dB, from -250 dBFS to 50.
class level_classes {
 public:
  void add(double mean_square) {
    const double at = 10 * (decibels(mean_square, 0) - lowest_db);
    const double last = static_cast<double>(counts_.size() - 1);
    if (std::isnan(at)) return;
    ++counts_[static_cast<std::size_t>(std::clamp(at, 0.0, last))];
    ++count_;
  }
  /// Level that is exceeded by `share` of them, in the middle of a class.
  double exceeded_by(double share) const {
    if (count_ == 0) return nan;
    std::uint64_t above = 0;
    std::size_t at = counts_.size();
    while (at > 0 && static_cast<double>(above) <= share * static_cast<double>(count_))
      above += counts_[--at];
    return at == 0 ? -infinity : lowest_db + 0.1 * (static_cast<double>(at) + 0.5);
  }
  void clear() { *this = {}; }

 private:
  static constexpr double lowest_db = -250;
  std::array<std::uint64_t, 3000> counts_ = {};
  std::uint64_t count_ = 0;
};

}  // namespace level_steps
}  // namespace

template <class T>
struct level_meter<T>::state {
  state(const sound_level_options& o, std::size_t channel_count)
      : options(level_steps::checked("level_meter", o, channel_count)),
        channels(channel_count),
        clock(o),
        weighting(o.weighting, o.rate_hz, channels),
        rows({level_steps::rows_at_once, channels}),
        averages(channels),
        peaks(channels),
        classes(channels) {
    if (o.peak_weighting == o.weighting) return;
    peak_weighting.emplace(o.peak_weighting, o.rate_hz, channels);
    peak_rows = array<double, 2>(rows.extents());
  }

  void take(view<const T, 2> block) {
    using namespace level_steps;
    const base_detail::subnormals_are_zero flushed;
    const std::size_t count = block.extent(0);
    const view<double, 2> weighted = rows.view().slice(0, 0, count);
    copy_rows(block, weighted);
    if (peak_weighting) {
      const view<double, 2> other = peak_rows.view().slice(0, 0, count);
      std::copy_n(weighted.data(), weighted.size(), other.data());
      peak_weighting->run(other);
      weighting.run(weighted);
      take_peaks(other);
    } else {
      weighting.run(weighted);
      take_peaks(weighted);
    }
    for (std::size_t c = 0; c < channels; ++c) average(averages[c], weighted, c);
    clock.samples += count;
    if (clock.ends_interval()) end_interval();
  }

  void take_peaks(view<const double, 2> weighted) {
    for (std::size_t n = 0; n < weighted.extent(0); ++n)
      for (std::size_t c = 0; c < channels; ++c)
        peaks[c] = std::max(peaks[c], std::abs(weighted(n, c)));
  }

  void average(level_steps::running_average& of, view<const double, 2> weighted, std::size_t c) {
    level_steps::running_average a = of;
    const bool is_settled = clock.is_settled();
    for (std::size_t n = 0; n < weighted.extent(0); ++n) {
      const double square = weighted(n, c) * weighted(n, c);
      a.part += square;
      a.mean = clock.keep * a.mean + clock.take * square;
      a.highest = std::max(a.highest, a.mean);
      if (is_settled) a.lowest = std::min(a.lowest, a.mean);
    }
    of = a;
  }

  void end_interval() {
    for (std::size_t c = 0; c < channels; ++c) {
      averages[c].end_interval();
      if (clock.samples > clock.settled) classes[c].add(averages[c].mean);
    }
  }

  sound_level_options options;
  std::size_t channels;
  level_steps::meter_clock clock;
  level_steps::weighting_stage weighting;
  std::optional<level_steps::weighting_stage> peak_weighting = {};  // where it is another one
  array<double, 2> rows, peak_rows = {};
  std::vector<level_steps::running_average> averages;
  std::vector<double> peaks;
  std::vector<level_steps::level_classes> classes;
};

template <class T>
level_meter<T>::level_meter(const sound_level_options& options, std::size_t channels)
    : state_(std::make_unique<state>(options, channels)) {}
template <class T>
level_meter<T>::level_meter(const level_meter& other)
    : state_(std::make_unique<state>(*other.state_)) {}
template <class T>
level_meter<T>::level_meter(level_meter&&) noexcept = default;
template <class T>
level_meter<T>& level_meter<T>::operator=(level_meter other) noexcept {
  state_.swap(other.state_);
  return *this;
}
template <class T>
level_meter<T>::~level_meter() = default;

template <class T>
const sound_level_options& level_meter<T>::options() const {
  return state_->options;
}
template <class T>
std::size_t level_meter<T>::channels() const {
  return state_->channels;
}
template <class T>
std::uint64_t level_meter<T>::samples() const {
  return state_->clock.samples;
}

template <class T>
void level_meter<T>::push(view<const T, 2> block) {
  level_steps::require_block("level_meter::push", block, channels());
  for (std::size_t done = 0; done < block.extent(0);) {
    const std::size_t count = state_->clock.next_rows(block.extent(0) - done);
    state_->take(block.slice(0, done, count));
    done += count;
  }
}

template <class T>
sound_levels level_meter<T>::levels(std::size_t channel) const {
  using namespace level_steps;
  require_channel("level_meter::levels", samples(), channel, channels());
  const double full = state_->options.full_scale_db;
  const band_levels of = state_->averages[channel].levels(state_->clock, full);
  if (std::isnan(of.leq_db)) return {nan, nan, nan, nan, nan, nan, nan, nan};
  const double seconds = static_cast<double>(samples()) / state_->options.rate_hz;
  const level_classes& classes = state_->classes[channel];
  const double peak = state_->peaks[channel];
  return {.leq_db = of.leq_db,
          .max_db = of.max_db,
          .min_db = of.min_db,
          .exposure_db = of.leq_db + 10 * std::log10(seconds),
          .peak_db = decibels(peak * peak, full),
          .l10_db = classes.exceeded_by(0.1) + full,
          .l50_db = classes.exceeded_by(0.5) + full,
          .l90_db = classes.exceeded_by(0.9) + full};
}

template <class T>
double level_meter<T>::level_db(std::size_t channel) const {
  using namespace level_steps;
  require_channel("level_meter::level_db", samples(), channel, channels());
  const double mean = state_->averages[channel].mean;
  return std::isfinite(mean) ? decibels(mean, state_->options.full_scale_db) : nan;
}

template <class T>
void level_meter<T>::reset() {
  state_->clock.samples = 0;
  state_->weighting.reset();
  if (state_->peak_weighting) state_->peak_weighting->reset();
  std::ranges::fill(state_->averages, level_steps::running_average());
  std::ranges::fill(state_->peaks, 0.0);
  for (auto& classes : state_->classes) classes.clear();
}

template class level_meter<float>;
template class level_meter<double>;

}  // namespace papilio

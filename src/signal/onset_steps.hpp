#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/signal/mel.hpp"
#include "papilio/signal/rhythm.hpp"
#include "papilio/signal/stft.hpp"
#include "signal/rhythm_parts.hpp"

namespace papilio::signal_detail {

/// Onset strengths of levels that come segment by segment: what lag and shift need of the segments
/// before is kept, and no more.
class onset_rises {
 public:
  onset_rises(std::size_t bands, std::size_t lag, std::size_t shift, onset_aggregate aggregate,
              float floor_db)
      : bands_(bands),
        lag_(lag),
        aggregate_(aggregate),
        floor_db_(floor_db),
        levels_(lag * bands),
        waiting_(shift),
        rises_(bands) {}

  /// Strength of the segment whose levels these are, which rose `shift` segments before.
  double push(std::span<const float> levels_db) {
    const std::span<float> before(levels_.data() + (count_ % lag_) * bands_, bands_);
    double strength = 0;
    for (std::size_t b = 0; b < bands_; ++b) {
      const float level = std::max(levels_db[b], floor_db_);
      rises_[b] = std::max(0.0, static_cast<double>(level) - static_cast<double>(before[b]));
      before[b] = level;
    }
    if (count_ >= lag_)
      strength = aggregate_ == onset_aggregate::mean ? rhythm_parts::mean_of(rises_)
                                                     : rhythm_parts::median_of(rises_);
    if (!waiting_.empty()) std::swap(strength, waiting_[count_ % waiting_.size()]);
    ++count_;
    return strength;
  }

 private:
  std::size_t bands_, lag_;
  onset_aggregate aggregate_;
  float floor_db_;
  std::vector<float> levels_;    // of segment s at s mod lag
  std::vector<double> waiting_;  // of segment s at s mod shift
  std::vector<double> rises_;
  std::uint64_t count_ = 0;
};

/// Levels of powers, -100 dB for 1e-10 and less; returns the highest.
template <class T>
float onset_levels(std::span<const T> power, std::span<float> levels_db) {
  constexpr double an_octave_db = 3.0102999566398119521;
  float highest = -100;
  for (std::size_t b = 0; b < power.size(); ++b) {
    const double level = an_octave_db * std::log2(std::max(1e-10, static_cast<double>(power[b])));
    levels_db[b] = static_cast<float>(level);
    highest = std::max(highest, levels_db[b]);
  }
  return highest;
}

/// Levels of mel bands of a signal that arrives in blocks.
template <class T>
class level_stream {
 public:
  using sink = function_ref<void(std::span<const float> levels_db)>;

  level_stream(const onset_options& o, std::size_t channels)
      : stream_(stft_options{.n_fft = o.n_fft, .hop = o.hop}, channels),
        mel_(o.rate_hz, o.n_fft, {.bands = o.bands}),
        bands_({1, o.bands}),
        levels_(o.bands) {}

  std::size_t channels() const { return stream_.channels(); }
  std::uint64_t segments() const { return stream_.segments(); }
  float highest_db() const { return highest_db_; }

  void push(view<const T, 2> block, sink out) {
    stream_.push_power(block, [&](std::uint64_t, view<T, 2> power) { add(power, out); });
  }
  void finish(sink out) {
    stream_.finish_power([&](std::uint64_t, view<T, 2> power) { add(power, out); });
  }

 private:
  void add(view<T, 2> power, sink out) {
    const std::size_t channels = power.extent(0);
    const view<T, 1> mean = power[0];
    for (std::size_t c = 1; c < channels; ++c)
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += power(c, k);
    if (channels > 1)
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] /= static_cast<T>(channels);
    mel_.apply(power.slice(0, 0, 1), bands_);
    highest_db_ = std::max(highest_db_, onset_levels<T>(bands_.flat(), levels_));
    out(levels_);
  }

  stft_stream<T> stream_;
  mel_filterbank<T> mel_;
  array<T, 2> bands_;
  std::vector<float> levels_;
  float highest_db_ = -100;
};

}  // namespace papilio::signal_detail

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "papilio/base/error.hpp"
#include "papilio/signal/levels.hpp"
#include "signal/filter_prototypes.hpp"

namespace papilio::level_parts {

using filter_parts::require;
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr std::size_t rows_at_once = 256;

inline sound_level_options checked(const char* function, const sound_level_options& o,
                                   std::size_t channels) {
  require(o.rate_hz >= 1000 && o.rate_hz <= 1e7, function, "rate_hz", "1000 ... 1e7", o.rate_hz);
  require(std::isfinite(o.full_scale_db), function, "full_scale_db", "finite", o.full_scale_db);
  require(o.time == time_weighting::fast || o.time == time_weighting::slow, function, "time",
          "one of time_weighting", static_cast<int>(o.time));
  require(channels >= 1, function, "channels", "at least 1", channels);
  return o;
}

inline void require_channel(const char* function, std::uint64_t samples, std::size_t channel,
                            std::size_t channels) {
  require(samples > 0, function, "samples", "at least 1", samples);
  if (channel >= channels)
    throw invalid_argument(
        base_detail::message(function, ": channel must be below ", channels, ", got ", channel));
}

inline double decibels(double mean_square, double full_scale_db) {
  return 10 * std::log10(2 * mean_square) + full_scale_db;
}

/// Places of intervals of 10 ms, whatever blocks a signal comes in, and the time weighting.
struct meter_clock {
  explicit meter_clock(const sound_level_options& o)
      : interval(static_cast<std::uint64_t>(std::max(1.0, std::round(o.rate_hz / 100)))) {
    const double constant = (o.time == time_weighting::fast ? 0.125 : 1.0) * o.rate_hz;
    settled = static_cast<std::uint64_t>(std::ceil(5 * constant));
    keep = std::exp(-1 / constant);
    take = -std::expm1(-1 / constant);
  }

  std::size_t next_rows(std::size_t rest) const {
    std::uint64_t most = std::min<std::uint64_t>(rows_at_once, rest);
    most = std::min(most, interval - samples % interval);
    if (samples < settled) most = std::min(most, settled - samples);
    return static_cast<std::size_t>(most);
  }
  bool is_settled() const { return samples >= settled; }
  bool ends_interval() const { return samples % interval == 0; }

  std::uint64_t interval, settled = 0, samples = 0;
  double keep = 0, take = 0;
};

/// Weights rows of samples, [rows, channels].
class weighting_stage {
 public:
  weighting_stage(frequency_weighting weighting, double rate_hz, std::size_t channels) {
    const std::vector<sos_section> sections = weighting_sections(weighting, rate_hz);
    if (weighting != frequency_weighting::z) filter_.emplace(sections, channels);
  }

  void run(view<double, 2> rows) {
    if (filter_) filter_->push(rows, rows);
  }
  void reset() {
    if (filter_) filter_->reset();
  }

 private:
  std::optional<sos_filter<double>> filter_;
};

template <class T>
void copy_rows(view<const T, 2> from, view<double, 2> to) {
  for (std::size_t n = 0; n < from.extent(0); ++n)
    for (std::size_t c = 0; c < from.extent(1); ++c) to(n, c) = static_cast<double>(from(n, c));
}

template <class T>
void require_block(const char* function, view<const T, 2> block, std::size_t channels) {
  if (block.extent(1) != channels)
    throw shape_error(base_detail::message(function, ": block must be samples x ", channels,
                                           ", got ", block.extent(0), " x ", block.extent(1)));
}

/// Time-weighted mean square, its extremes, and the sums of squares of whole intervals and of this
/// one.
struct running_average {
  double mean = 0, highest = 0, lowest = infinity, total = 0, part = 0;

  void end_interval() {
    total += part;
    part = 0;
  }
  band_levels levels(const meter_clock& clock, double full_scale_db) const {
    if (!std::isfinite(mean)) return {nan, nan, nan};
    const double all = (total + part) / static_cast<double>(clock.samples);
    const bool has_lowest = clock.samples > clock.settled;
    return {decibels(all, full_scale_db), decibels(highest, full_scale_db),
            has_lowest ? decibels(lowest, full_scale_db) : nan};
  }
};

}  // namespace papilio::level_parts

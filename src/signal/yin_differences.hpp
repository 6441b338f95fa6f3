#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "papilio/signal/pitch.hpp"
#include "signal/segment_geometry.hpp"

namespace papilio::signal_detail {

/// Normalised differences d' of segments, and their troughs (papilio/signal/pitch.hpp).
template <class T>
class yin_differences {
 public:
  /// Checks the six options that YIN and pYIN share; `name` begins the messages.
  yin_differences(const char* name, const yin_options& options);

  const segment_geometry& geometry() const { return geometry_; }
  std::size_t first_lag() const { return first_lag_; }

  /// Memory of one thread.
  struct work {
    explicit work(const yin_differences& of);

    array<T, 1> samples, correlation;  // [points], zeros behind the frame
    array<T, 1> power, total;          // [bins], of a channel and of all
    array<std::complex<T>, 1> spectrum, scratch;
    std::vector<double> energy;      // [last lag], sums of squares of the channels' samples
    std::vector<double> sum;         // [last lag + 1], of differences
    std::vector<double> normalised;  // [lags], d' from the first lag to the last
  };

  /// Computes w.normalised of the segment whose channel c has the samples that load(c, out) writes.
  /// `function` begins the messages of errors.
  template <class Load>
  void compute(const char* function, std::size_t channels, const Load& load, work& w) const {
    for (std::size_t c = 0; c < channels; ++c) {
      load(c, w.samples.data());
      add_channel(c, w);
      if (!is_finite(w)) refuse(function, {w.samples.data(), geometry_.n()});
    }
    finish(function, w);
  }

  /// Returns the period in samples, fractions too, at index i of d'.
  double period(std::span<const double> normalised, std::size_t i) const;

 private:
  void add_channel(std::size_t channel, work& w) const;
  bool is_finite(const work& w) const;
  void finish(const char* function, work& w) const;
  [[noreturn]] static void refuse(const char* function, std::span<const T> samples);

  segment_geometry geometry_;
  std::size_t first_lag_, last_lag_;
  rfft_plan<T> plan_;
  array<T, 1> ones_;
};

/// Whether index i of d' is a trough.
inline bool is_trough(std::span<const double> d, std::size_t i) {
  if (i == 0) return d[0] < d[1];
  return d[i] < d[i - 1] && (i + 1 == d.size() || d[i] <= d[i + 1]);
}

/// Checks that a signal has a segment, and that there is room for as many pitches.
void require_segments(const char* function, const segment_geometry& geometry, std::size_t samples,
                      std::size_t room);

}  // namespace papilio::signal_detail

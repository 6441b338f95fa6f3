#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"

namespace papilio {

/// Options of per-channel energy normalization, with the defaults of librosa.pcen.
struct pcen_options {
  double gain = 0.98;  ///< exponent of the smoothed level, at least 0
  double bias = 2;     ///< at least 0; 0: no bias, a power of the normalized value
  double power = 0.5;  ///< exponent of compression, at least 0; 0: log(1 + normalized value)
  double time_constant_seconds = 0.4;  ///< of smoothing, above 0
  double floor = 1e-6;                 ///< added to the smoothed level, above 0
  std::optional<double> smoothing =
      {};  ///< s itself, above 0 and at most 1; none: of the time constant
  std::size_t largest_of =
      1;  ///< bands whose largest value is smoothed in the place of a band's, 1 ... 2^20
};

/// Per-channel energy normalization (PCEN): automatic gain control and compression of bands of a
/// spectrogram, magnitudes or powers E[t, b] >= 0, as librosa.pcen. With M[-1] = 1, and R the
/// largest of E[t, b - largest_of / 2 ... b + (largest_of - 1) / 2]:
///
///   M[t, b] = (1 - s) M[t-1, b] + s R[t, b]
///   G = E (floor + M)^-gain
///   out = (G + bias)^power - bias^power;  power 0: log(1 + G);  bias 0: G^power
///
/// s is 2 / (1 + sqrt(1 + 4 T^2)) of the time constant in segments T = seconds rate / hop: at the
/// normalized frequency 1 / T the filter passes half the power. Values suit samples that are 16-bit
/// or 32-bit numbers: multiply those of samples within 1 by 2^31 (of magnitudes), as librosa advises.
///
/// T is float or double; the smoothed level and the formula are in double. NaN makes NaN in its band
/// from there on. Immutable and safe to use from many threads at once.
///
/// Wang, Y., Getreuer, P., Hughes, T., Lyon, R. F., Saurous, R. A. (2017), Proc. ICASSP, 5670;
/// Lostanlen, V. et al. (2019), IEEE Signal Process. Lett. 26, 39.
template <class T>
class PAPILIO_API pcen_plan {
 public:
  /// Plans for segments that are hop samples apart. Throws invalid_argument unless rate_hz is finite
  /// and above 0, hop is at least 1, and every option in its range and finite.
  pcen_plan(double rate_hz, std::size_t hop, const pcen_options& options = {});

  const pcen_options& options() const { return options_; }
  /// Coefficient s of the smoothing.
  double smoothing() const { return smoothing_; }

  /// Normalizes bands, [segments, bands], with any strides with which an axis of out steps over the
  /// whole of the other. The bits do not depend on `threads`, which share the bands.
  /// O(segments * bands * largest_of).
  /// Throws shape_error for other extents of out, invalid_argument if out overlaps bands.
  void execute(view<const T, 2> bands, view<T, 2> out, int threads = 1) const;
  array<T, 2> execute(view<const T, 2> bands, int threads = 1) const;

  /// Goes on from the smoothed levels M[t-1], one a band, and leaves there those of the last segment.
  /// Throws also shape_error for another number of levels.
  void execute(view<const T, 2> bands, view<T, 2> out, std::span<double> levels,
               int threads = 1) const;

 private:
  void compress(std::span<double> values) const;

  pcen_options options_;
  double smoothing_, bias_power_;
};

extern template class pcen_plan<float>;
extern template class pcen_plan<double>;

/// Per-channel energy normalization, pcen_plan, of segments that arrive one after another: each has
/// the bits of the plan's, at once. Nothing is allocated after construction, and memory is a level a
/// band. Not thread-safe.
template <class T>
class PAPILIO_API pcen_stream {
 public:
  /// Makes a stream of so many bands. Throws invalid_argument if bands is 0.
  pcen_stream(const pcen_plan<T>& plan, std::size_t bands);

  const pcen_plan<T>& plan() const { return plan_; }
  std::size_t bands() const { return levels_.size(); }
  /// Smoothed levels M of the last segment.
  std::span<const double> levels() const { return levels_; }

  /// Normalizes the next segments, [segments, bands], as pcen_plan::execute, and with its errors.
  void push(view<const T, 2> bands, view<T, 2> out) { plan_.execute(bands, out, levels_); }
  /// Resets the levels to 1, for another signal.
  void reset();

 private:
  pcen_plan<T> plan_;
  std::vector<double> levels_;
};

extern template class pcen_stream<float>;
extern template class pcen_stream<double>;

}  // namespace papilio

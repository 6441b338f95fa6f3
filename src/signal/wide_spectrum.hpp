#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/internal.hpp"
#include "papilio/base/array.hpp"
#include "papilio/signal/stft.hpp"
#include "signal/segment_geometry.hpp"

namespace papilio::signal_detail {

/// Whether any sample is larger than the bound.
template <class T>
bool any_beyond(view<const T, 2> block, T bound);

/// Whether all samples are 0.
PAPILIO_INTERNAL bool is_silence(std::span<const float> samples);

/// The largest sample whose powers, and sums of them, a float holds.
float largest_safe_sample(const stft_plan<float>& plan);

/// Makes the plan in double, with the window that it has in float.
stft_plan<double> in_double(const stft_plan<float>& plan);

/// Spectra in double of those segments of a stream of floats whose own leave what a float holds:
/// samples below 1e-9 or beyond 1e9, or thereabouts. All others cost a look at their first bins.
///
///   wide.note(block, stream.received());
///   stream.push_power(block, [&](std::uint64_t s, view<float, 2> power) {
///     if (wide.leave_float(s, power[c])) use wide.power(stream.samples(c)) in place of power[c] });
class PAPILIO_INTERNAL wide_spectrum {
 public:
  explicit wide_spectrum(const stft_plan<float>& plan);

  /// Takes notice of the frames that are pushed next, after `received` others.
  void note(view<const float, 2> block, std::uint64_t received);
  /// Whether values of a segment may be wrong in float: real and imaginary parts, powers, or their
  /// sum over channels; `squared`: magnitudes, which are roots of powers. Any is too large, or all
  /// are too small, as those of silence are.
  bool leave_float(std::uint64_t segment, std::span<const float> values,
                   bool squared = false) const;
  /// The powers of a segment, [bins], and X, until the next call.
  std::span<const double> power(std::span<const float> samples);
  std::span<const std::complex<double>> bins(std::span<const float> samples);

 private:
  struct double_transform {
    stft_plan<double> plan;
    array<double, 1> samples, power;
    array<std::complex<double>, 1> bins, scratch;
  };
  double_transform& loaded(std::span<const float> samples);

  stft_plan<float> plan_;
  segment_geometry geometry_;
  float bound_;                    // samples beyond are large
  std::uint64_t large_until_ = 0;  // a position that no large sample has reached
  std::optional<double_transform> made_;
};

}  // namespace papilio::signal_detail

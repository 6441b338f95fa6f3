#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/dispatch/resident.hpp"
#include "papilio/fft/recipe.hpp"
#include "papilio/signal/stft_options.hpp"

namespace papilio {

namespace signal_detail {
template <class T>
class segment_transform;
template <class T>
struct plan_parts;
}  // namespace signal_detail
template <class T>
class stft_stream;

/// Short-time Fourier transform of real signals: X[s, k] = c sum_j w[j] x[first(s) + j]
/// exp(-2 pi i j k / n_fft), first(s) = s * hop (minus n_fft / 2 where centred), with the factor c
/// of stft_scaling and the bins k of stft_sides. With centre and n_fft even, the number of segments
/// and the values are those of librosa.stft and torch.stft with the same padding.
///
/// T is float or double. Immutable, cheap to copy, and safe to execute from many threads at once.
/// The result does not depend on `threads` (0: every core), nor on what else is in a batch.
/// O(n_fft log n_fft) a segment. A segment that lies whole in a signal whose samples are neighbours
/// is read where it is. NaN and infinite samples make NaN of the segments that they stand in.
template <class T>
class PAPILIO_API stft_plan {
 public:
  /// invalid_argument naming the option, the bound and the value; also where the scaling divides by
  /// a sum that is 0, or where the window's largest weight, scaled or not, is not within 2^-40 ...
  /// 2^40 (float) or 2^-488 ... 2^488 (double).
  explicit stft_plan(stft_options options = {});

  /// The window's own values, 1 ... n_fft of them and finite, centred in n_fft if fewer; they stand
  /// for options.window, and options.window_length must be 0 or their number.
  stft_plan(stft_options options, std::span<const double> window);

  /// As given, window_length resolved.
  const stft_options& options() const;
  /// n_fft / 2 + 1, or n_fft where the sides are two.
  std::size_t bins() const;
  /// How the real transform of n_fft points is computed.
  const recipe& design() const;
  /// n_fft weights, unscaled, zero around a window that is shorter.
  std::span<const T> window() const;

  /// Segments of a signal: with m = samples + 2 (n_fft / 2) where centred, else samples,
  /// 1 + floor((m - n_fft) / hop), or under pad_end 1 + ceil((m - n_fft) / hop) as far as they
  /// begin before m; 0 where there are no samples, or too few for one segment. resource_error where
  /// m overflows.
  std::uint64_t segments(std::uint64_t samples) const;

  /// X[s, k] to out[s, k], [segments(signal.size()), bins()], any strides with which one axis steps
  /// over the whole of the other. shape_error otherwise, invalid_argument if out overlaps the
  /// signal, resource_error if the scratch of the threads cannot be had.
  void execute(std::span<const T> signal, view<std::complex<T>, 2> out, int threads = 1) const;

  /// |X[s, k]| in the same shape: sqrt(re^2 + im^2), right where the squares neither overflow nor
  /// vanish in T (1e-19 ... 1e19 in float).
  void execute_magnitude(std::span<const T> signal, view<T, 2> out, int threads = 1) const;

  /// |X[s, k]|^2 in the same shape.
  void execute_power(std::span<const T> signal, view<T, 2> out, int threads = 1) const;

  /// The same for many signals of one length (channels, excerpts): [signals, samples], any strides,
  /// to [signals, segments, bins]. Threads share the segments of all signals.
  void execute(view<const T, 2> signals, view<std::complex<T>, 3> out, int threads = 1) const;
  void execute_magnitude(view<const T, 2> signals, view<T, 3> out, int threads = 1) const;
  void execute_power(view<const T, 2> signals, view<T, 3> out, int threads = 1) const;

  /// The same where `on` says; those above are the host's, whatever PAPILIO_POLICY says. An
  /// accelerator computes in float, one dispatch for all signals, and has no kernel for stft_sides
  /// two, stft_scaling dbfs, and pad_end after edge_padding reflect or edge: under policy::device
  /// these and double are a device_error, under automatic the host's. Its results are within its
  /// error model of the host's, not equal.
  void execute(std::span<const T> signal, view<std::complex<T>, 2> out, const execution& on) const;
  void execute_magnitude(std::span<const T> signal, view<T, 2> out, const execution& on) const;
  void execute_power(std::span<const T> signal, view<T, 2> out, const execution& on) const;
  void execute(view<const T, 2> signals, view<std::complex<T>, 3> out, const execution& on) const;
  void execute_magnitude(view<const T, 2> signals, view<T, 3> out, const execution& on) const;
  void execute_power(view<const T, 2> signals, view<T, 3> out, const execution& on) const;

  /// The same of [samples] or [signals, samples] on an accelerator, where the result stays:
  /// [segments, bins] or [signals, segments, bins]. shape_error where there is no segment,
  /// device_error for what it has no kernel for.
  template <std::size_t Rank>
    requires(std::same_as<T, float> && (Rank == 1 || Rank == 2))
  resident<std::complex<float>, Rank + 1> execute(const resident<float, Rank>& signals,
                                                  const execution& on = {}) const {
    return resident<std::complex<float>, Rank + 1>(
        resident_segments(signals.tensor("stft_plan"), stft_result::complex, on));
  }
  template <std::size_t Rank>
    requires(std::same_as<T, float> && (Rank == 1 || Rank == 2))
  resident<float, Rank + 1> execute_magnitude(const resident<float, Rank>& signals,
                                              const execution& on = {}) const {
    return resident<float, Rank + 1>(
        resident_segments(signals.tensor("stft_plan"), stft_result::magnitude, on));
  }
  template <std::size_t Rank>
    requires(std::same_as<T, float> && (Rank == 1 || Rank == 2))
  resident<float, Rank + 1> execute_power(const resident<float, Rank>& signals,
                                          const execution& on = {}) const {
    return resident<float, Rank + 1>(
        resident_segments(signals.tensor("stft_plan"), stft_result::power, on));
  }

  /// One segment of n_fft samples, windowed, transformed and scaled to bins() values; `scratch`
  /// holds segment_scratch_size() elements, overlaps neither, and nothing is allocated.
  void transform_segment(std::span<const T> samples, std::span<std::complex<T>> out,
                         std::span<std::complex<T>> scratch) const;
  std::size_t segment_scratch_size() const;

 private:
  friend class stft_stream<T>;
  friend struct signal_detail::plan_parts<T>;
  shared_tensor resident_segments(const shared_tensor& signals, stft_result result,
                                  const execution& on) const;

  std::shared_ptr<const signal_detail::segment_transform<T>> transform_;
};

extern template class stft_plan<float>;
extern template class stft_plan<double>;

}  // namespace papilio

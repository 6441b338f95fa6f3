#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/fft/recipe.hpp"
#include "papilio/signal/window.hpp"

namespace papilio {

/// one: bins 0 ... n_fft / 2, all that a real signal needs; two: bins 0 ... n_fft - 1, of which bin
/// n_fft - k is the conjugate of bin k.
enum class stft_sides { one, two };

/// What every bin is multiplied by; w is the window, sums run over its samples:
///   none: 1;
///   magnitude: 1 / sum w. A sine of amplitude A at a bin's centre has the magnitude A / 2, a
///     constant A the magnitude A (scipy.signal.stft scaling "spectrum", ShortTimeFFT "magnitude");
///   psd: 1 / sqrt(rate_hz sum w^2), so that |X|^2 is the two-sided power spectral density per Hz.
///     A one-sided density is twice that, save at bin 0 and, for even n_fft, at bin n_fft / 2;
///   orthonormal: 1 / sqrt(sum w^2) (torchaudio.transforms.Spectrogram normalized "window"; not
///     torch.stft's normalized=True, which is 1 / sqrt(n_fft));
///   dbfs: 2 / sum w, but 1 / sum w at bin 0 and, for even n_fft, at bin n_fft / 2. A sine of
///     amplitude 1 at a bin's centre, and a constant of 1, have the magnitude 1, which is 0 dBFS.
enum class stft_scaling { none, magnitude, psd, orthonormal, dbfs };

struct stft_options {
  std::size_t n_fft = 2048;       ///< points of each transform, 1 ... 2^24
  std::size_t hop = 512;          ///< samples from one segment to the next, at least 1
  std::size_t window_length = 0;  ///< at most n_fft; 0: n_fft. A shorter window is centred in n_fft
  window_spec window = window_kind::hann;     ///< periodic
  bool centre = true;                         ///< segment s is centred on sample s * hop
  edge_padding padding = edge_padding::zero;  ///< used where centre is set
  /// Zeros follow the (padded) signal, as many as its last samples need to stand in a segment too
  /// (scipy.signal.stft "padded"). Off: samples that do not fill another segment are left.
  bool pad_end = false;
  stft_sides sides = stft_sides::one;
  stft_scaling scaling = stft_scaling::none;
  double rate_hz = 1;  ///< samples per second, positive and finite; used by the scaling psd
};

inline constexpr std::size_t max_n_fft = std::size_t{1} << 24;

/// librosa.stft(x, n_fft=n_fft, hop_length=hop), of librosa 0.10 and later: Hann, centred, zeros
/// beyond the ends, unscaled. Element [s, k] here is element [k, s] there.
PAPILIO_API stft_options librosa_stft(std::size_t n_fft = 2048, std::size_t hop = 512);

/// torch.stft(x, n_fft, hop, window=window, center=True, pad_mode="reflect"): mirrored beyond the
/// ends, unscaled. torch's own default is no window at all, so it is the rectangle here, and its
/// default hop n_fft / 4. With window_kind::hann for torch.hann_window these are also the segments
/// of torchaudio.transforms.Spectrogram. torch refuses signals of n_fft / 2 samples and fewer.
/// invalid_argument if n_fft is below 4 and hop is not given.
PAPILIO_API stft_options torch_stft(std::size_t n_fft);
PAPILIO_API stft_options torch_stft(std::size_t n_fft, std::size_t hop,
                                    window_spec window = window_kind::rectangular);

/// scipy.signal.stft(x, nperseg=nperseg, noverlap=noverlap): Hann, centred, zeros beyond the ends
/// and after them, divided by sum w. noverlap is nperseg / 2 where it is not given. scipy takes the
/// signal's length for nperseg, with a warning, where that is less; here it is the caller who does.
/// invalid_argument unless noverlap < nperseg.
PAPILIO_API stft_options scipy_stft(std::size_t nperseg = 256);
PAPILIO_API stft_options scipy_stft(std::size_t nperseg, std::size_t noverlap);

/// The enumerator's name; and back, invalid_argument naming the choices for any other name.
PAPILIO_API std::string_view to_string(edge_padding padding);
PAPILIO_API std::string_view to_string(stft_sides sides);
PAPILIO_API std::string_view to_string(stft_scaling scaling);
PAPILIO_API edge_padding parse_edge_padding(std::string_view name);
PAPILIO_API stft_sides parse_stft_sides(std::string_view name);
PAPILIO_API stft_scaling parse_stft_scaling(std::string_view name);

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
  device_array<std::complex<float>, Rank + 1> execute(const device_array<float, Rank>& signals,
                                                      const execution& on = {}) const {
    return device_array<std::complex<float>, Rank + 1>(
        segments_on_device(signals.tensor("stft_plan"), spectrum_form::complex, on));
  }
  template <std::size_t Rank>
    requires(std::same_as<T, float> && (Rank == 1 || Rank == 2))
  device_array<float, Rank + 1> execute_magnitude(const device_array<float, Rank>& signals,
                                                  const execution& on = {}) const {
    return device_array<float, Rank + 1>(
        segments_on_device(signals.tensor("stft_plan"), spectrum_form::magnitude, on));
  }
  template <std::size_t Rank>
    requires(std::same_as<T, float> && (Rank == 1 || Rank == 2))
  device_array<float, Rank + 1> execute_power(const device_array<float, Rank>& signals,
                                              const execution& on = {}) const {
    return device_array<float, Rank + 1>(
        segments_on_device(signals.tensor("stft_plan"), spectrum_form::power, on));
  }

  /// One segment of n_fft samples, windowed, transformed and scaled to bins() values; `scratch`
  /// holds segment_scratch_size() elements, overlaps neither, and nothing is allocated.
  void transform_segment(std::span<const T> samples, std::span<std::complex<T>> out,
                         std::span<std::complex<T>> scratch) const;
  std::size_t segment_scratch_size() const;

 private:
  friend class stft_stream<T>;
  friend struct signal_detail::plan_parts<T>;
  shared_tensor segments_on_device(const shared_tensor& signals, spectrum_form result,
                                   const execution& on) const;

  std::shared_ptr<const signal_detail::segment_transform<T>> transform_;
};

extern template class stft_plan<float>;
extern template class stft_plan<double>;

/// Where a stream hands its segments: called with the number of the segment, from 0, and
/// [channels, bins], which the sink may write over and which is gone when it returns.
template <class Value>
using segment_sink = function_ref<void(std::uint64_t segment, view<Value, 2> values)>;

/// stft_plan on signals that arrive in blocks of any sizes, their length unknown until finish():
///
///   stft_stream<float> stream({.n_fft = 1024, .hop = 256}, channels);
///   while (read(block)) stream.push(block, sink);  // [samples, channels], or a vector of one channel
///   stream.finish(sink);
///
/// Each segment is handed on as soon as its last sample is there (under padding "reflect" the first
/// wait for n_fft / 2 + 1 samples) and is to the bit what the plan makes of the whole signal. The
/// segments that reach beyond the end come with finish().
///
/// Memory is at most 2.5 n_fft + 4096 samples a channel and the scratch of one segment. Not
/// thread-safe. What a sink throws passes through; reset() is then the only thing to do.
///
/// Real-time safety: after construction, push, finish and reset in all forms, of blocks of any
/// size, allocate no memory, take no lock and make no system call, and the stream's memory has been
/// touched; the sink's doings and the errors below apart. A push that completes k segments takes
/// the time of k transforms a channel: hop samples or fewer complete at most one, but for the first
/// under "reflect", which waited.
template <class T>
class PAPILIO_API stft_stream {
 public:
  /// invalid_argument if channels is 0, and as stft_plan.
  explicit stft_stream(stft_options options, std::size_t channels = 1);
  /// Shares the plan's tables.
  explicit stft_stream(const stft_plan<T>& plan, std::size_t channels = 1);
  stft_stream(stft_stream&&) noexcept;
  stft_stream& operator=(stft_stream&&) noexcept;
  ~stft_stream();

  const stft_plan<T>& plan() const;
  std::size_t channels() const;
  /// Samples per channel that have come, and segments that have been handed on.
  std::uint64_t received() const;
  std::uint64_t segments() const;
  /// Within a sink: the n_fft samples of that segment, before the window, padding included.
  std::span<const T> samples(std::size_t channel) const;

  /// [samples, channels], any strides, one sample or a million; of one channel a vector or span.
  /// shape_error if the channels differ, invalid_argument after finish().
  void push(view<const T, 2> block, segment_sink<std::complex<T>> sink);
  template <flat_array Block>
  void push(const Block& samples, segment_sink<std::complex<T>> sink) {
    push(mono(samples), sink);
  }
  /// |X| or |X|^2 instead, as execute_magnitude and execute_power.
  void push_magnitude(view<const T, 2> block, segment_sink<T> sink);
  template <flat_array Block>
  void push_magnitude(const Block& samples, segment_sink<T> sink) {
    push_magnitude(mono(samples), sink);
  }
  void push_power(view<const T, 2> block, segment_sink<T> sink);
  template <flat_array Block>
  void push_power(const Block& samples, segment_sink<T> sink) {
    push_power(mono(samples), sink);
  }

  /// The signal has ended: hands on what the padding completes. Nothing more when called again.
  void finish(segment_sink<std::complex<T>> sink);
  void finish_magnitude(segment_sink<T> sink);
  void finish_power(segment_sink<T> sink);

  /// Back to the beginning, for another signal.
  void reset();

 private:
  static view<const T, 2> mono(std::span<const T> samples) {
    return view<const T, 2>(samples.data(), {samples.size(), 1});
  }

  struct state;
  std::unique_ptr<state> state_;
};

extern template class stft_stream<float>;
extern template class stft_stream<double>;

}  // namespace papilio

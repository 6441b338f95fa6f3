#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

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

/// Bins of a segment's spectrum. one: bins 0 ... n_fft / 2, all that a real signal needs; two: bins
/// 0 ... n_fft - 1, of which bin n_fft - k is the conjugate of bin k.
enum class stft_sides { one, two };

/// Scaling of every bin; w is the window, sums run over its samples:
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

/// Options of a short-time Fourier transform.
struct stft_options {
  std::size_t n_fft = 2048;       ///< points of each transform, 1 ... 2^24
  std::size_t hop = 512;          ///< samples from one segment to the next, at least 1
  std::size_t window_length = 0;  ///< at most n_fft; 0: n_fft. A shorter window is centred in n_fft
  window_spec window = window_kind::hann;     ///< periodic
  bool centre = true;                         ///< segment s is centred on sample s * hop
  edge_padding padding = edge_padding::zero;  ///< used where centre is set
  /// Zeros after the (padded) signal, as many as its last samples need to be in a segment too
  /// (scipy.signal.stft "padded"). Off: samples that do not fill another segment are left out.
  bool pad_end = false;
  stft_sides sides = stft_sides::one;
  stft_scaling scaling = stft_scaling::none;
  double rate_hz = 1;  ///< samples per second, positive and finite; used by the scaling psd
};

/// Largest n_fft.
inline constexpr std::size_t max_n_fft = std::size_t{1} << 24;

/// Returns the options of librosa.stft(x, n_fft=n_fft, hop_length=hop), librosa 0.10 and later:
/// Hann, centred, zeros beyond the ends, unscaled. Element [s, k] here is element [k, s] there.
/// Throws invalid_argument if n_fft or hop is out of its range.
PAPILIO_API stft_options librosa_stft(std::size_t n_fft = 2048, std::size_t hop = 512);

/// Returns the options of torch.stft(x, n_fft, hop, window=window, center=True,
/// pad_mode="reflect"): mirrored beyond the ends, unscaled. As in torch, the default window is
/// rectangular and the default hop n_fft / 4. With window_kind::hann for torch.hann_window these
/// are also the segments of torchaudio.transforms.Spectrogram. torch needs more than n_fft / 2
/// samples.
/// Throws invalid_argument if n_fft or hop is out of its range (hop not given: n_fft below 4).
PAPILIO_API stft_options torch_stft(std::size_t n_fft);
PAPILIO_API stft_options torch_stft(std::size_t n_fft, std::size_t hop,
                                    window_spec window = window_kind::rectangular);

/// Returns the options of scipy.signal.stft(x, nperseg=nperseg, noverlap=noverlap): Hann, centred,
/// zeros beyond the ends and after them, divided by sum w. noverlap defaults to nperseg / 2. For
/// signals shorter than nperseg scipy takes their length, with a warning; here the caller does.
/// Throws invalid_argument unless noverlap < nperseg and nperseg is at most max_n_fft.
PAPILIO_API stft_options scipy_stft(std::size_t nperseg = 256);
PAPILIO_API stft_options scipy_stft(std::size_t nperseg, std::size_t noverlap);

/// Return an enumerator's name, and the enumerator of a name.
/// Throws invalid_argument for no enumerator, and for any other name, listing the names.
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
class synthesis;
template <class T>
struct plan_parts;
}  // namespace signal_detail
template <class T>
class PAPILIO_API stft_stream;
template <class T>
class PAPILIO_API istft_plan;

/// Short-time Fourier transform of real signals,
///   X[s, k] = c sum_j w[j] x[first(s) + j] exp(-2 pi i j k / n_fft),
/// first(s) = s * hop (minus n_fft / 2 if centred), with the factor c of stft_scaling and the bins
/// k of stft_sides. With centre and n_fft even, the number of segments and the values are those of
/// librosa.stft and torch.stft with the same padding.
///
/// T is float or double. A plan is immutable, cheap to copy, and safe to execute from many threads
/// at once. The result does not depend on `threads` (0: every core), nor on what else is in a
/// batch. O(n_fft log n_fft) a segment. Segments that lie wholly in a contiguous signal are read
/// without a copy. NaN and infinite samples make NaN of the segments that contain them.
template <class T>
class PAPILIO_API stft_plan {
 public:
  /// Plans segments by the options. Throws invalid_argument naming the option, the bound and the
  /// value; also if the scaling divides by a sum that is 0, or the window's largest weight, scaled
  /// or not, is not within 2^-40 ... 2^40 (float) or 2^-488 ... 2^488 (double).
  explicit stft_plan(stft_options options = {});

  /// Plans segments with a window given by its values, 1 ... n_fft of them and finite, centred in
  /// n_fft if fewer; they replace options.window, and window_length is 0 or their number.
  stft_plan(stft_options options, std::span<const double> window);

  /// Options as given, with window_length resolved.
  const stft_options& options() const;
  /// Number of bins, n_fft / 2 + 1, or n_fft if the sides are two.
  std::size_t bins() const;
  /// Recipe of the real transform of n_fft points.
  const recipe& design() const;
  /// Window of n_fft weights, unscaled, zero around a window that is shorter.
  std::span<const T> window() const;

  /// Plans the adjoint A* of this transform, <A x, y> = <x, A* y>: [segments, bins] to the samples
  /// of a signal that has so many segments. The overlap-add of istft_plan with this window and its
  /// scaling, each bin once and no division; what falls on the padding is added to the samples that
  /// it was made of. For a real loss L and X = A x, dL/dx = A* dL/dX, dL/dX being dL/dRe +
  /// i dL/dIm as in torch.autograd. The result shares the window; its execute takes `first` = 0
  /// and its adjoint is this plan. On an accelerator: one-sided; where the padding is not zeros, of
  /// arrays of the host, which adds what falls on it.
  istft_plan<T> adjoint() const;

  /// Returns the number of segments of a signal. With m = samples + 2 (n_fft / 2) if centred, else
  /// samples: 1 + floor((m - n_fft) / hop), or under pad_end 1 + ceil((m - n_fft) / hop) as far as
  /// they begin before m; 0 if there are no samples, or too few for one segment.
  /// Throws resource_error if m overflows.
  std::uint64_t segments(std::uint64_t samples) const;

  /// Computes out[s, k] = X[s, k], [segments(signal.size()), bins()], with any strides with which
  /// one axis steps over the whole of the other.
  /// Throws shape_error for other extents or strides, invalid_argument if out overlaps the signal,
  /// resource_error if the scratch of the threads cannot be allocated.
  void execute(std::span<const T> signal, view<std::complex<T>, 2> out, int threads = 1) const;

  /// Computes the magnitudes |X[s, k]| in the same shape as sqrt(re^2 + im^2), accurate where the
  /// squares neither overflow nor vanish in T (1e-19 ... 1e19 in float).
  void execute_magnitude(std::span<const T> signal, view<T, 2> out, int threads = 1) const;

  /// Computes the powers |X[s, k]|^2 in the same shape.
  void execute_power(std::span<const T> signal, view<T, 2> out, int threads = 1) const;

  /// Compute many signals of one length (channels, excerpts): [signals, samples], any strides, to
  /// [signals, segments, bins]. Threads share the segments of all signals.
  void execute(view<const T, 2> signals, view<std::complex<T>, 3> out, int threads = 1) const;
  void execute_magnitude(view<const T, 2> signals, view<T, 3> out, int threads = 1) const;
  void execute_power(view<const T, 2> signals, view<T, 3> out, int threads = 1) const;

  /// Compute segments on the side that `on` chooses; the overloads above are the host's, whatever
  /// PAPILIO_POLICY says. An accelerator computes in float, in one dispatch for all signals, within
  /// its error model of the host's results. It has no kernel for stft_sides two, stft_scaling dbfs,
  /// and pad_end after edge_padding reflect or edge: under automatic these and double are the
  /// host's.
  /// Throws also device_error for these and double under policy::device.
  void execute(std::span<const T> signal, view<std::complex<T>, 2> out, const execution& on) const;
  void execute_magnitude(std::span<const T> signal, view<T, 2> out, const execution& on) const;
  void execute_power(std::span<const T> signal, view<T, 2> out, const execution& on) const;
  void execute(view<const T, 2> signals, view<std::complex<T>, 3> out, const execution& on) const;
  void execute_magnitude(view<const T, 2> signals, view<T, 3> out, const execution& on) const;
  void execute_power(view<const T, 2> signals, view<T, 3> out, const execution& on) const;

  /// Compute segments of a device array [samples] or [signals, samples], to a device array
  /// [segments, bins] or [signals, segments, bins].
  /// Throws shape_error if there is no segment, device_error for what has no kernel.
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

  /// Transforms one segment of n_fft samples, windowed and scaled, to bins() values; `scratch`
  /// holds segment_scratch_size() elements and overlaps neither. Nothing is allocated.
  /// Throws shape_error for other lengths.
  void transform_segment(std::span<const T> samples, std::span<std::complex<T>> out,
                         std::span<std::complex<T>> scratch) const;
  std::size_t segment_scratch_size() const;

 private:
  friend class stft_stream<T>;
  friend class istft_plan<T>;
  friend struct signal_detail::plan_parts<T>;
  explicit stft_plan(std::shared_ptr<const signal_detail::segment_transform<T>> built)
      : transform_(std::move(built)) {}
  shared_tensor segments_on_device(const shared_tensor& signals, spectrum_form result,
                                   const execution& on) const;

  std::shared_ptr<const signal_detail::segment_transform<T>> transform_;
};

extern template class stft_plan<float>;
extern template class stft_plan<double>;

/// Computes X[s, k] of stft_plan of a signal, [segments, bins], or of each row of [signals, samples],
/// [signals, segments, bins], of a vector, array or view of any strides. `on` is a number of threads
/// (1 if it is not given; 0: every core) or an execution. Each call plans anew; whoever transforms
/// many signals keeps a plan.
/// Throws as stft_plan.
template <readable_array X, class... On>
  requires(std::floating_point<base_detail::value_of<X>> && base_detail::rank_of<X> <= 2 &&
           sizeof...(On) <= 1)
auto stft(const X& x, const stft_options& options = {}, const On&... on) {
  using T = base_detail::value_of<X>;
  constexpr std::size_t rank = base_detail::rank_of<X>;
  const stft_plan<T> plan(options);
  const auto signals = base_detail::as_view(x);
  const std::size_t samples = signals.extent(rank - 1);
  extents_type<rank + 1> extents{};
  if constexpr (rank == 2) extents[0] = signals.extent(0);
  extents[rank - 1] = static_cast<std::size_t>(plan.segments(samples));
  extents[rank] = plan.bins();
  array<std::complex<T>, rank + 1> out(extents);
  plan.execute(view<const T, 2>(signals.data(), {rank == 2 ? signals.extent(0) : 1, samples},
                                {signals.stride(0), signals.stride(rank - 1)}),
               view<std::complex<T>, 3>(
                   out.data(), {rank == 2 ? extents[0] : 1, extents[rank - 1], extents[rank]}),
               on...);
  return out;
}

/// Callback of a stream, called with the index of the segment, from 0, and values [channels, bins],
/// valid until it returns; the sink may overwrite them.
template <class Value>
using segment_sink = function_ref<void(std::uint64_t segment, view<Value, 2> values)>;

/// Short-time Fourier transform, stft_plan, of signals that arrive in blocks of any sizes and whose
/// length is unknown until finish():
///
///   stft_stream<float> stream({.n_fft = 1024, .hop = 256}, channels);
///   while (read(block)) stream.push(block, sink);  // [samples, channels], or one channel
///   stream.finish(sink);
///
/// Each segment goes to the sink as soon as its last sample is there (under padding "reflect" the
/// first wait for n_fft / 2 + 1 samples) and has the bits that the plan computes from the whole
/// signal. The segments that reach beyond the end come with finish().
///
/// Memory is at most 2.5 n_fft + 4096 samples a channel and the scratch of one segment. Not
/// thread-safe. Exceptions of a sink pass through; only reset() may then be called.
///
/// Real-time safety: after construction, push, finish and reset in all forms, with blocks of any
/// size, allocate no memory, take no lock, make no system call and touch no new page; what the sink
/// does, and errors, excepted. A push that completes k segments takes the time of k transforms a
/// channel: hop samples or fewer complete at most one, save the first under "reflect".
template <class T>
class PAPILIO_API stft_stream {
 public:
  /// Makes a stream. Throws as stft_plan, and invalid_argument if channels is 0.
  explicit stft_stream(stft_options options, std::size_t channels = 1);
  /// Makes a stream that shares the plan's tables.
  explicit stft_stream(const stft_plan<T>& plan, std::size_t channels = 1);
  stft_stream(stft_stream&&) noexcept;
  stft_stream& operator=(stft_stream&&) noexcept;
  ~stft_stream();

  const stft_plan<T>& plan() const;
  std::size_t channels() const;
  /// Number of samples per channel received, and of segments passed to the sink.
  std::uint64_t received() const;
  std::uint64_t segments() const;
  /// Samples of the current segment, n_fft of them, before the window; only within a sink.
  std::span<const T> samples(std::size_t channel) const;

  /// Takes the next block, [samples, channels], any strides and any number of samples; of one
  /// channel a vector or span.
  /// Throws shape_error if the channels differ, invalid_argument after finish().
  void push(view<const T, 2> block, segment_sink<std::complex<T>> sink);
  template <flat_array Block>
  void push(const Block& samples, segment_sink<std::complex<T>> sink) {
    push(mono(samples), sink);
  }
  /// Takes the next block and passes on |X| or |X|^2, as execute_magnitude and execute_power.
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

  /// Ends the signal and passes on its last segments. Does nothing when called again.
  void finish(segment_sink<std::complex<T>> sink);
  void finish_magnitude(segment_sink<T> sink);
  void finish_power(segment_sink<T> sink);

  /// Resets the stream for another signal.
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

#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {

template <class T>
class PAPILIO_API istft_stream;

/// Inverse short-time Fourier transform of stft_plan with the same options: the signal whose
/// segments differ least from the given ones in the sum of squares (Griffin and Lim 1984),
///   x[t] = sum_s w[t - first(s)] y_s[t - first(s)] / sum_s w[t - first(s)]^2,
/// y_s the inverse transform of row s with the scaling undone. The result of stft_plan gives x
/// itself but for rounding: under Hann with hops of n_fft / 2 ... n_fft / 16 the error is within
/// 2e-7 of x in float and 1e-15 in double, in the Euclidean norm. Padding is left out.
///
/// A real signal has a spectrum equal to its mirror image's conjugate.
/// - One-sided rows: the imaginary parts of bin 0 and, for even n_fft, of bin n_fft / 2 are
///   ignored.
/// - Two-sided rows: the mean of bin k and the conjugate of bin n_fft - k is used, which gives the
///   real part of the inverse (scipy.signal.istft returns the complex one; torch.istft ignores bins
///   beyond n_fft / 2).
///
/// T is float or double. A plan is immutable, cheap to copy, and safe to execute from many threads
/// at once. The result does not depend on `threads` (0: every core), nor on what else is in a
/// batch. O(n_fft log n_fft) a segment.
template <class T>
class PAPILIO_API istft_plan {
 public:
  /// Plans the inverse with options and window as in stft_plan. Throws as there.
  explicit istft_plan(stft_options options = {});
  istft_plan(stft_options options, std::span<const double> window);

  const stft_options& options() const;
  std::size_t bins() const;

  /// Plans the adjoint of this transform: a signal to [segments, bins] for any number of segments
  /// that cover it. Samples divided by the sums of w^2, then stft_plan with zeros beyond the ends,
  /// this window, and each bin weighted as the inverse counts it. It needs a copy of the signals.
  /// Its adjoint is this plan; gradients as in stft_plan::adjoint. On an accelerator: one-sided
  /// complex spectra of samples that the host has divided, or of device arrays a product there.
  stft_plan<T> adjoint() const;

  /// Returns the length, in samples, that librosa.istft and torch.istft give to so many segments:
  /// (segments - 1) hop + n_fft - 2 lead with lead = n_fft / 2 if centred, else 0. The original
  /// signal may be up to hop - 1 samples longer (under pad_end shorter).
  std::uint64_t samples(std::uint64_t segments) const;

  /// Computes the samples `first` ... first + out.size() - 1 of the signal from spectra of shape
  /// [segments, bins()]. The whole signal has first = 0 and an out of its own length; any stretch
  /// that the segments reach may be computed. A sample is covered if its sum of w^2 exceeds 1e-10
  /// of the window's largest w^2 (the condition "nonzero overlap-add"); without centring, Hann does
  /// not cover sample 0.
  ///
  /// Throws shape_error if spectra is not [segments, bins()] or the segments end before out does;
  /// invalid_argument if out overlaps spectra, and naming the first sample not covered.
  void execute(view<const std::complex<T>, 2> spectra, std::span<T> out, int threads = 1,
               std::uint64_t first = 0) const;

  /// Computes many signals of one length: [signals, segments, bins] to [signals, samples], any
  /// strides (of out: one axis steps over the whole of the other). Threads share all samples.
  void execute(view<const std::complex<T>, 3> spectra, view<T, 2> out, int threads = 1,
               std::uint64_t first = 0) const;

  /// Computes signals on the side that `on` chooses; the overloads above are the host's, whatever
  /// PAPILIO_POLICY says. An accelerator computes in float, in one launch for all signals, and has
  /// no kernel for stft_sides two and stft_scaling dbfs: under automatic these and double are the
  /// host's.
  /// Throws also device_error for these and double under policy::device.
  void execute(view<const std::complex<T>, 2> spectra, std::span<T> out, const execution& on,
               std::uint64_t first = 0) const;
  void execute(view<const std::complex<T>, 3> spectra, view<T, 2> out, const execution& on,
               std::uint64_t first = 0) const;

  /// Computes `samples` samples of each signal from `first` on, from a device array [segments,
  /// bins] or [signals, segments, bins], to a device array [samples] or [signals, samples].
  template <std::size_t Rank>
    requires(std::same_as<T, float> && (Rank == 2 || Rank == 3))
  device_array<float, Rank - 1> execute(const device_array<std::complex<float>, Rank>& spectra,
                                        std::uint64_t samples, const execution& on = {},
                                        std::uint64_t first = 0) const {
    return device_array<float, Rank - 1>(
        signals_on_device(spectra.tensor("istft_plan::execute"), samples, on, first));
  }

 private:
  friend class istft_stream<T>;
  friend class stft_plan<T>;
  explicit istft_plan(std::shared_ptr<const signal_detail::synthesis<T>> built)
      : synthesis_(std::move(built)) {}
  shared_tensor signals_on_device(const shared_tensor& spectra, std::uint64_t samples,
                                  const execution& on, std::uint64_t first) const;

  std::shared_ptr<const signal_detail::synthesis<T>> synthesis_;
};

extern template class istft_plan<float>;
extern template class istft_plan<double>;

/// Computes the signal, [samples], of spectra [segments, bins], or the signals, [signals, samples],
/// of [signals, segments, bins], as istft_plan::execute; none: plan.samples(segments) samples. `on`
/// is a number of threads (1 if it is not given; 0: every core) or an execution. Each call plans anew.
/// Throws as istft_plan.
template <readable_array Spectra, class... On>
  requires(base_detail::rank_of<Spectra> == 2 || base_detail::rank_of<Spectra> == 3)
auto istft(const Spectra& spectra, const stft_options& options = {},
           std::optional<std::uint64_t> samples = {}, const On&... on) {
  using T = typename base_detail::value_of<Spectra>::value_type;
  constexpr std::size_t rank = base_detail::rank_of<Spectra>;
  const istft_plan<T> plan(options);
  const auto from = base_detail::as_view(spectra);
  extents_type<rank - 1> extents{};
  if constexpr (rank == 3) extents[0] = from.extent(0);
  extents[rank - 2] =
      static_cast<std::size_t>(samples.value_or(plan.samples(from.extent(rank - 2))));
  array<T, rank - 1> out(extents);
  if constexpr (rank == 3)
    plan.execute(from, out.view(), on...);
  else
    plan.execute(from, out.flat(), on...);
  return out;
}

/// Callback of a stream, called with samples [samples, channels] (a channel's samples are
/// neighbours), valid until it returns.
template <class T>
using sample_sink = function_ref<void(view<const T, 2> samples)>;

/// Inverse short-time Fourier transform, istft_plan, of segments that arrive one after another:
///
///   istft_stream<float> stream({.n_fft = 1024, .hop = 256}, channels);
///   for (...) stream.push(spectra, sink);            // [channels, bins]
///   stream.finish(length, sink);
///
/// Samples go to the sink in order, as soon as no later segment adds to them and the segments so
/// far are sure to belong to a signal of that length. They have the bits that the plan computes
/// from all segments, for any sizes of push. The last samples of the signal come with finish().
///
/// Memory is 4 n_fft + 4096 samples a channel and the scratch of one segment; nothing is allocated
/// after construction. Not thread-safe. Exceptions of a sink pass; then only reset() is allowed.
template <class T>
class PAPILIO_API istft_stream {
 public:
  /// Makes a stream that passes on the samples from `first` on; those before are left out.
  /// Throws as istft_plan, and invalid_argument if channels is 0, or if a sample from `first` on is
  /// not covered by the segments of a signal that never ends.
  explicit istft_stream(stft_options options, std::size_t channels = 1, std::uint64_t first = 0);
  /// Makes a stream that shares the plan's tables.
  explicit istft_stream(const istft_plan<T>& plan, std::size_t channels = 1,
                        std::uint64_t first = 0);
  istft_stream(istft_stream&&) noexcept;
  istft_stream& operator=(istft_stream&&) noexcept;
  ~istft_stream();

  const istft_plan<T>& plan() const;
  std::size_t channels() const;
  /// Number of segments pushed so far.
  std::uint64_t segments() const;
  /// Index of the next sample for the sink; while a sink runs, of the first that it is given.
  std::uint64_t position() const;

  /// Takes the next segment of every channel, [channels, bins], or [channels, segments, bins].
  /// Throws shape_error if the extents differ from the stream's, invalid_argument after finish().
  void push(view<const std::complex<T>, 2> spectra, sample_sink<T> sink);
  void push(view<const std::complex<T>, 3> spectra, sample_sink<T> sink);
  /// Takes the next segment of the one channel, a vector or span of bins.
  template <flat_array Spectrum>
  void push(const Spectrum& spectrum, sample_sink<T> sink) {
    const std::span<const std::complex<T>> bins = spectrum;
    push(view<const std::complex<T>, 2>(bins.data(), {1, bins.size()}), sink);
  }

  /// Ends the signal at `samples` samples and passes on those from position() to its end. Does
  /// nothing when called again.
  /// Throws shape_error if more were passed on already or the segments end before, invalid_argument
  /// naming the first sample that is not covered.
  void finish(std::uint64_t samples, sample_sink<T> sink);
  /// Ends the signal at plan().samples(segments()) samples.
  void finish(sample_sink<T> sink);

  /// Resets the stream for another signal.
  void reset();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class istft_stream<float>;
extern template class istft_stream<double>;

}  // namespace papilio

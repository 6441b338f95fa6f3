#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {

namespace signal_detail {
template <class T>
class synthesis;
}
template <class T>
class istft_stream;

/// Inverse of stft_plan with the same options: of all signals the one whose segments differ least
/// from the given ones in the sum of squares (Griffin and Lim 1984),
///   x[t] = sum_s w[t - first(s)] y_s[t - first(s)] / sum_s w[t - first(s)]^2,
/// y_s the inverse transform of row s with the scaling undone. For what stft_plan made of x that is
/// x itself but for rounding: under Hann with hops of n_fft / 2 ... n_fft / 16 the error is within
/// 2e-7 of x in float and 1e-15 in double, in the Euclidean norm. Padding needs no undoing: what
/// lies beyond the signal is left out.
///
/// A real signal has a spectrum equal to its mirror image's conjugate. Of one-sided rows the
/// imaginary parts of bin 0 and, for even n_fft, of bin n_fft / 2 are ignored; of two-sided rows
/// the mean of bin k and the conjugate of bin n_fft - k is used, which gives the real part of the
/// inverse (scipy.signal.istft returns the complex one; torch.istft ignores bins beyond n_fft / 2).
///
/// T is float or double. Immutable, cheap to copy, and safe to execute from many threads at once.
/// The result does not depend on `threads` (0: every core), nor on what else is in a batch.
/// O(n_fft log n_fft) a segment.
template <class T>
class PAPILIO_API istft_plan {
 public:
  /// As stft_plan's; invalid_argument as there.
  explicit istft_plan(stft_options options = {});
  istft_plan(stft_options options, std::span<const double> window);

  const stft_options& options() const;
  std::size_t bins() const;

  /// Samples that many segments stand for where nothing else is known, as librosa.istft and
  /// torch.istft take them: (segments - 1) hop + n_fft - 2 lead with lead = n_fft / 2 where
  /// centred, else 0. The signal they were made of may be up to hop - 1 samples longer (under
  /// pad_end shorter).
  std::uint64_t samples(std::uint64_t segments) const;

  /// Samples `first` ... first + out.size() - 1 of the signal. All of it is first = 0 and an out of
  /// the signal's own length; any stretch that the segments reach will do.
  ///
  /// shape_error if spectra is not [segments, bins()] or the segments end before out does,
  /// invalid_argument if out overlaps spectra. A sample is covered where its sum of w^2 exceeds
  /// 1e-10 of the window's largest w^2 (the condition "nonzero overlap-add"); invalid_argument
  /// naming the first sample in out that is not. Without centring, Hann does not cover sample 0.
  void execute(view<const std::complex<T>, 2> spectra, std::span<T> out, int threads = 1,
               std::uint64_t first = 0) const;

  /// The same for many signals of one length: [signals, segments, bins] to [signals, samples], any
  /// strides (of out: one axis steps over the whole of the other). Threads share the samples of all
  /// signals.
  void execute(view<const std::complex<T>, 3> spectra, view<T, 2> out, int threads = 1,
               std::uint64_t first = 0) const;

  /// The same where `on` says; those above are the host's, whatever PAPILIO_POLICY says. An
  /// accelerator computes in float, one launch for all signals, and has no kernel for stft_sides
  /// two and stft_scaling dbfs: under policy::device these and double are a device_error, under
  /// automatic the host's.
  void execute(view<const std::complex<T>, 2> spectra, std::span<T> out, const execution& on,
               std::uint64_t first = 0) const;
  void execute(view<const std::complex<T>, 3> spectra, view<T, 2> out, const execution& on,
               std::uint64_t first = 0) const;

  /// The same of [segments, bins] or [signals, segments, bins] on an accelerator, to `samples` of
  /// each signal from `first` on, which stay there: [samples] or [signals, samples].
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
  shared_tensor signals_on_device(const shared_tensor& spectra, std::uint64_t samples,
                                  const execution& on, std::uint64_t first) const;

  std::shared_ptr<const signal_detail::synthesis<T>> synthesis_;
};

extern template class istft_plan<float>;
extern template class istft_plan<double>;

/// Where a stream hands its samples: called with [samples, channels] (a channel's samples are
/// neighbours), which is gone when it returns.
template <class T>
using sample_sink = function_ref<void(view<const T, 2> samples)>;

/// istft_plan on segments that come one after another:
///
///   istft_stream<float> stream({.n_fft = 1024, .hop = 256}, channels);
///   for (...) stream.push(spectra, sink);            // [channels, bins]
///   stream.finish(length, sink);
///
/// Samples are handed on in order as soon as no later segment adds to them and the segments that
/// have come are sure to stand for a signal of that length; they are to the bit what the plan makes
/// of all segments, for any sizes of push. The samples up to the signal's end come with finish().
///
/// Memory is 4 n_fft + 4096 samples a channel and the scratch of one segment; nothing is allocated
/// after construction. Not thread-safe. What a sink throws passes through; reset() is then the only
/// thing to do.
template <class T>
class PAPILIO_API istft_stream {
 public:
  /// Hands on the samples from `first` on; those before it are left out. invalid_argument if
  /// channels is 0, as istft_plan, and where a sample from `first` on is not covered by the
  /// segments of a signal that goes on for ever.
  explicit istft_stream(stft_options options, std::size_t channels = 1, std::uint64_t first = 0);
  /// Shares the plan's tables.
  explicit istft_stream(const istft_plan<T>& plan, std::size_t channels = 1,
                        std::uint64_t first = 0);
  istft_stream(istft_stream&&) noexcept;
  istft_stream& operator=(istft_stream&&) noexcept;
  ~istft_stream();

  const istft_plan<T>& plan() const;
  std::size_t channels() const;
  /// Segments that have come.
  std::uint64_t segments() const;
  /// Number of the next sample that is handed on; while a sink runs, of the first that it is given.
  std::uint64_t position() const;

  /// The next segment of every channel, [channels, bins]; or several, [channels, segments, bins].
  /// Any strides. shape_error if they differ from the stream's, invalid_argument after finish().
  void push(view<const std::complex<T>, 2> spectra, sample_sink<T> sink);
  void push(view<const std::complex<T>, 3> spectra, sample_sink<T> sink);

  /// The signal has `samples` samples: hands on those from position() to its end. shape_error if
  /// more were handed on already or the segments end before, invalid_argument naming the first
  /// sample that is not covered. Nothing more when called again.
  void finish(std::uint64_t samples, sample_sink<T> sink);
  /// The same with the length plan().samples(segments()).
  void finish(sample_sink<T> sink);

  /// Back to the beginning, for another signal.
  void reset();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class istft_stream<float>;
extern template class istft_stream<double>;

}  // namespace papilio

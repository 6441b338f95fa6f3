#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "papilio/base/export.hpp"
#include "papilio/base/function_ref.hpp"
#include "papilio/base/view.hpp"
#include "papilio/signal/istft.hpp"

namespace papilio {

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

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>

#include "papilio/base/export.hpp"
#include "papilio/base/function_ref.hpp"
#include "papilio/base/view.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {

/// Where a stream hands its segments: called with the number of the segment, from 0, and
/// [channels, bins], which the sink may write over and which is gone when it returns.
template <class Value>
using segment_sink = function_ref<void(std::uint64_t segment, view<Value, 2> values)>;

/// stft_plan on signals that arrive in blocks of any sizes, their length unknown until finish():
///
///   stft_stream<float> stream({.n_fft = 1024, .hop = 256}, channels);
///   while (read(block)) stream.push(block, sink);  // one channel: mono_block(samples)
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

  /// [samples, channels], any strides, one sample or a million. shape_error if the channels differ,
  /// invalid_argument after finish().
  void push(view<const T, 2> block, segment_sink<std::complex<T>> sink);
  /// |X| or |X|^2 instead, as execute_magnitude and execute_power.
  void push_magnitude(view<const T, 2> block, segment_sink<T> sink);
  void push_power(view<const T, 2> block, segment_sink<T> sink);

  /// The signal has ended: hands on what the padding completes. Nothing more when called again.
  void finish(segment_sink<std::complex<T>> sink);
  void finish_magnitude(segment_sink<T> sink);
  void finish_power(segment_sink<T> sink);

  /// Back to the beginning, for another signal.
  void reset();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// One channel's samples (vector, span, std::array) as a block of [samples, 1].
template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range>
auto mono_block(const Range& samples) {
  return view<const std::ranges::range_value_t<Range>, 2>(std::ranges::data(samples),
                                                          {std::ranges::size(samples), 1});
}

extern template class stft_stream<float>;
extern template class stft_stream<double>;

}  // namespace papilio

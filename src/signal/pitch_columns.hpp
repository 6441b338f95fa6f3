#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/signal/stft.hpp"
#include "signal/pitch_stream.hpp"

namespace papilio::signal_detail {

/// Adds the columns of pYIN to rows of features of the same segments: the frequency in Hz, NaN where it
/// is not voiced; 1 where it is voiced, else 0; the probability of that. Rows wait until their pitch is
/// decided, pyin_plan::delay() segments and as many more at most.
class pitch_columns {
 public:
  static constexpr std::size_t count = 3;
  using sink = function_ref<void(std::uint64_t first, view<const double, 2> values)>;

  /// Segments are those of a short-time transform; rows have `columns` columns.
  pitch_columns(const stft_options& segments, double rate_hz, double fmin_hz, double fmax_hz,
                std::size_t channels, std::size_t columns);

  /// Takes [frames, channels].
  void push_samples(view<const float, 2> block);
  /// Takes the next rows, and passes on those whose pitch is known.
  void push_rows(view<const double, 2> rows, sink out);
  /// Ends the signal, whose rows have all come.
  void finish(sink out);

 private:
  void keep(std::span<const pitch> pitches);
  void hand_on(sink out);

  pitch_stream<float> stream_;
  std::size_t columns_;
  std::deque<double> rows_;  // their values, one after the other
  std::size_t waiting_ = 0;  // rows
  std::deque<pitch> pitches_;
  array<double, 2> values_;  // [rows that are passed on at once, columns + count]
  std::uint64_t first_ = 0;
};

}  // namespace papilio::signal_detail

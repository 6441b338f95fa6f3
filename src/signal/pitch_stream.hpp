#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "papilio/signal/pitch.hpp"
#include "signal/pitch_candidates.hpp"
#include "signal/pitch_path.hpp"
#include "signal/segment_buffer.hpp"

namespace papilio::signal_detail {

/// pyin_stream without its checks, whose segments may also lie as those of a short-time transform of
/// the same frame: with other padding, and zeros behind the end.
template <class T>
class pitch_stream {
 public:
  pitch_stream(std::shared_ptr<const pitch_candidates<T>> tables, const segment_geometry& geometry,
               std::size_t channels)
      : tables_(std::move(tables)),
        channels_(channels),
        buffer_(geometry, channels),
        work_(*tables_),
        path_(tables_->options(), tables_->bins(), tables_->bins_per_octave()) {}

  std::size_t channels() const { return channels_; }
  bool finished() const { return buffer_.finished(); }

  /// Takes [samples, channels]; `function` begins the messages of errors.
  void push(const char* function, view<const T, 2> block, pitch_sink sink) {
    for (std::size_t i = 0; i < block.extent(0);) {
      i += buffer_.accept(block, i);
      use_segments(function, sink);
    }
  }
  void finish(const char* function, pitch_sink sink) {
    buffer_.finish();
    use_segments(function, sink);
    path_.finish(sink);
  }
  void reset() {
    buffer_.reset();
    path_.reset();
  }

 private:
  void use_segments(const char* function, pitch_sink sink) {
    const auto load = [&](std::size_t channel, T* samples) {
      std::copy_n(buffer_.segment(channel), tables_->options().frame, samples);
    };
    for (; buffer_.ready(); buffer_.next()) {
      tables_->differences().compute(function, channels_, load, work_.segment);
      tables_->find(work_, observed_);
      path_.push(observed_, sink);
    }
  }

  std::shared_ptr<const pitch_candidates<T>> tables_;
  std::size_t channels_;
  segment_buffer<T> buffer_;
  typename pitch_candidates<T>::work work_;
  pitch_observation observed_;
  pitch_path path_;
};

}  // namespace papilio::signal_detail

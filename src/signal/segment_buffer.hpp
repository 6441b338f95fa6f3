#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/base/array.hpp"
#include "signal/segment_geometry.hpp"

namespace papilio::signal_detail {

/// Cuts a signal that comes in blocks into segments, with what the padding puts before and behind
/// it. Holds at most 2.5 n + 4096 samples a channel and allocates nothing after construction.
///
///   for (i = 0; i < frames;) { i += accept(block, i); while (ready()) { use segment(c); next(); }
///   } finish(); while (ready()) ...
template <class T>
class segment_buffer {
 public:
  segment_buffer(const segment_geometry& geometry, std::size_t channels);

  void reset();
  std::uint64_t received() const { return received_; }
  std::uint64_t segment_number() const { return segment_; }
  bool finished() const { return finished_; }

  /// Takes some of the frames of [frames, channels] from `first` on, at least one if no segment is
  /// ready; how many.
  std::size_t accept(view<const T, 2> block, std::size_t first);

  /// The signal has ended. All segments that were ready must have been used.
  void finish();

  bool ready() const;
  /// n contiguous samples of the segment that is ready.
  const T* segment(std::size_t channel) const;
  void next() { ++segment_; }

 private:
  std::uint64_t end() const { return origin_ + filled_; }
  void fill_head(std::uint64_t size);
  void append_tail();
  void drop_used();
  void append(view<const T, 2> block, std::size_t first, std::size_t count);

  segment_geometry geometry_;
  std::size_t history_;  // samples that the padding behind the end is made of
  array<T, 2> line_;     // [channels, capacity], from position origin_ on
  std::uint64_t origin_ = 0, received_ = 0, segment_ = 0;
  std::uint64_t segments_ = 0;  // of the whole signal, once finished
  std::size_t filled_ = 0;
  bool headed_ = false, finished_ = false;
};

}  // namespace papilio::signal_detail

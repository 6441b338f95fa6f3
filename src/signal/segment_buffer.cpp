#include "signal/segment_buffer.hpp"

#include <algorithm>

#include "papilio/base/error.hpp"

namespace papilio::signal_detail {
namespace {

std::size_t capacity(const segment_geometry& geometry) {
  // Less than a segment waits, or the history; padding and zeros behind the end are less than
  // lead + n; the rest is for whole blocks.
  return 2 * geometry.n() + geometry.lead() + 4096;
}

std::size_t history(const segment_geometry& geometry) {
  if (geometry.lead() == 0 || geometry.padding() == edge_padding::zero) return 0;
  return geometry.padding() == edge_padding::edge ? 1 : geometry.lead() + 1;
}

}  // namespace

template <class T>
segment_buffer<T>::segment_buffer(const segment_geometry& geometry, std::size_t channels)
    : geometry_(geometry),
      history_(history(geometry)),
      line_({channels, capacity(geometry)}) {  // zeros: no page is touched first in a push
  reset();
}

template <class T>
void segment_buffer<T>::reset() {
  origin_ = received_ = segment_ = segments_ = 0;
  filled_ = geometry_.lead();
  headed_ = finished_ = false;
  if (history_ == 0) fill_head(0);
}

template <class T>
void segment_buffer<T>::fill_head(std::uint64_t size) {
  const std::size_t lead = geometry_.lead();
  for (std::size_t c = 0; c < line_.extent(0); ++c) {
    T* const line = &line_(c, 0);
    for (std::size_t i = 1; i <= lead; ++i) {
      const std::uint64_t at = geometry_.source(-static_cast<std::int64_t>(i), size);
      line[lead - i] = at == size ? T(0) : line[lead + at];
    }
  }
  headed_ = true;
}

template <class T>
void segment_buffer<T>::drop_used() {
  std::uint64_t keep = std::min(geometry_.first(segment_), end());
  if (!headed_) keep = 0;
  if (history_ > 0) keep = std::min(keep, end() - std::min<std::uint64_t>(end(), history_));
  if (keep <= origin_) return;
  const auto dropped = static_cast<std::size_t>(keep - origin_);
  for (std::size_t c = 0; c < line_.extent(0); ++c)
    std::copy_n(&line_(c, 0) + dropped, filled_ - dropped, &line_(c, 0));
  filled_ -= dropped;
  origin_ = keep;
}

template <class T>
void segment_buffer<T>::append(view<const T, 2> block, std::size_t first, std::size_t count) {
  const std::ptrdiff_t step = block.stride(0);
  const T* const begin = block.data() + static_cast<std::ptrdiff_t>(first) * step;
  if (line_.extent(0) == 2 && step == 2 && block.stride(1) == 1) {  // stereo sound: the usual case
    T* const left = &line_(0, 0) + filled_;
    T* const right = &line_(1, 0) + filled_;
    for (std::size_t i = 0; i < count; ++i) {
      left[i] = begin[2 * i];
      right[i] = begin[2 * i + 1];
    }
    return;
  }
  for (std::size_t c = 0; c < line_.extent(0); ++c) {
    const T* const from = begin + static_cast<std::ptrdiff_t>(c) * block.stride(1);
    T* const to = &line_(c, 0) + filled_;
    if (step == 1)
      std::copy_n(from, count, to);
    else
      for (std::size_t i = 0; i < count; ++i) to[i] = from[static_cast<std::ptrdiff_t>(i) * step];
  }
}

template <class T>
std::size_t segment_buffer<T>::accept(view<const T, 2> block, std::size_t first) {
  const std::size_t left = block.extent(0) - first;
  if (filled_ == line_.extent(1)) drop_used();
  std::size_t skipped = 0;
  if (const std::uint64_t next = geometry_.first(segment_); history_ == 0 && next > end()) {
    skipped = static_cast<std::size_t>(std::min<std::uint64_t>(left, next - end()));
    origin_ = end() + skipped;
    filled_ = 0;
  }
  const std::size_t count = std::min(left - skipped, line_.extent(1) - filled_);
  append(block, first + skipped, count);
  filled_ += count;
  received_ += skipped + count;
  if (!headed_ && received_ >= history_) fill_head(received_);
  return skipped + count;
}

template <class T>
void segment_buffer<T>::finish() {
  finished_ = true;
  segments_ = geometry_.segments(received_);
  if (segment_ >= segments_) return;
  if (!headed_) fill_head(received_);
  append_tail();
}

template <class T>
void segment_buffer<T>::append_tail() {
  drop_used();
  const std::uint64_t tail = end(), stop = geometry_.first(segments_ - 1) + geometry_.n();
  for (std::size_t c = 0; c < line_.extent(0); ++c) {
    T* const line = &line_(c, 0);
    for (std::uint64_t p = tail; p < stop; ++p) {
      const std::uint64_t at = geometry_.source(
          static_cast<std::int64_t>(p) - static_cast<std::int64_t>(geometry_.lead()), received_);
      line[p - origin_] = at == received_ ? T(0) : line[at + geometry_.lead() - origin_];
    }
  }
  if (stop > tail) filled_ += static_cast<std::size_t>(stop - tail);
}

template <class T>
bool segment_buffer<T>::ready() const {
  if (!headed_ || (finished_ && segment_ >= segments_)) return false;
  const std::uint64_t first = geometry_.first(segment_);
  return first < end() && end() - first >= geometry_.n();
}

template <class T>
const T* segment_buffer<T>::segment(std::size_t channel) const {
  return &line_(channel, 0) + (geometry_.first(segment_) - origin_);
}

template class segment_buffer<float>;
template class segment_buffer<double>;

}  // namespace papilio::signal_detail

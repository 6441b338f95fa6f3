#pragma once

#include <algorithm>
#include <cstddef>

#include "fft/operands.hpp"

namespace papilio::fft_detail {

/// Transform of every line along an axis, from in_length contiguous elements to out_length.
/// Immutable; many threads may run it at once.
template <class In, class Out>
class line_transform {
 public:
  using real = real_component<In>;
  virtual ~line_transform() = default;
  std::size_t in_length() const { return in_length_; }
  std::size_t out_length() const { return out_length_; }
  std::size_t scratch_reals() const { return scratch_reals_; }

  /// `in` and `out` may begin at the same address; scratch overlaps neither.
  virtual void run(const In* in, Out* out, real* scratch) const = 0;
  /// Runs on up to `threads` threads where the line can be shared, with the same bits. It may
  /// allocate, before it writes.
  virtual void run_shared(const In* in, Out* out, real* scratch, int /*threads*/) const {
    run(in, out, scratch);
  }

  /// Runs `lines` lines one after the other, in_step and out_step elements apart.
  virtual void run_lines(const In* in, std::ptrdiff_t in_step, Out* out, std::ptrdiff_t out_step,
                         std::size_t lines, real* scratch) const {
    for (; lines > 0; --lines, in += in_step, out += out_step) run(in, out, scratch);
  }

  /// Adjacent lines may run at once, as columns: column_width is how many are best, with elements
  /// `step` elements apart (0: columns are not possible), and run_columns transforms any number of
  /// them up to that, in place allowed.
  virtual std::size_t column_width(std::ptrdiff_t /*step*/) const { return 0; }
  virtual std::size_t column_memory_reals() const { return 0; }
  virtual void run_columns(const In*, std::ptrdiff_t, Out*, std::ptrdiff_t, std::size_t,
                           real*) const {}

 protected:
  line_transform(std::size_t in_length, std::size_t out_length, std::size_t scratch_reals)
      : in_length_(in_length), out_length_(out_length), scratch_reals_(scratch_reals) {}

 private:
  std::size_t in_length_, out_length_, scratch_reals_;
};

/// Lines whose first elements are neighbours, in and out. Steps are in elements: from one element
/// of a line to the next, and from one line to the next.
template <class In, class Out>
struct tile {
  const In* in = nullptr;
  Out* out = nullptr;
  std::size_t lines = 0;
  std::ptrdiff_t in_step = 1, in_line_step = 0;
  std::ptrdiff_t out_step = 1, out_line_step = 0;
  bool asks_ahead = false;  ///< prefetches the lines after these
  bool streams = false;     ///< writes past the caches; end_streams() must follow
};

/// Whether contiguous lines are prefetched, where there are so many.
template <class In, class Out>
bool is_asked_ahead(const line_transform<In, Out>& line, std::size_t lines);

/// Whether contiguous lines, where there are so many, are written past the caches, to memory other
/// than the input's.
template <class In, class Out>
bool is_streamed(const line_transform<In, Out>& line, std::size_t lines);
/// Reals of memory that such a tile takes besides tile_memory's.
template <class In, class Out>
std::size_t streamed_reals(const line_transform<In, Out>& line);

/// Whether a line of n elements `step` apart is contiguous.
inline bool is_direct(std::size_t n, std::ptrdiff_t step) { return n == 1 || step == 1; }

/// Way in which the lines of a tile are transformed: where they lie, contiguous on both sides; as
/// columns, neighbours of each other on both sides; or one by one, copied where they are not
/// contiguous.
enum class tile_way { direct, columns, gathered };

/// Returns the axis from `first` on, other than `axis`, along which lines are neighbours on both
/// sides; the rank if there is none.
template <class In, class Out>
std::size_t column_axis(strided<const In> in, strided<Out> out, std::size_t axis,
                        std::size_t first);

/// Chooses the way by the strides alone, so that the bits of a line do not depend on how many there
/// are.
template <class In, class Out>
tile_way way_of(const line_transform<In, Out>& line, strided<const In> in, strided<Out> out,
                std::size_t axis, std::size_t first);

/// Returns the number of lines of a tile; `step` is from one element of a line to the next.
template <class In, class Out>
std::size_t tile_width(const line_transform<In, Out>& line, tile_way way, std::ptrdiff_t step);

/// Reals of memory for transform_tile.
template <class In, class Out>
std::size_t tile_memory(const line_transform<In, Out>& line, tile_way way);

/// Transforms the lines of a tile, at most tile_width of them. The tile may be in place. Gathered
/// lines that are contiguous on a side are read or written where they lie; others are gathered all
/// together and scattered all together, so that every cache line that is touched is used whole.
/// Lines that are not columns run on `threads` threads each.
template <class In, class Out>
void transform_tile(const line_transform<In, Out>& line, tile_way way, const tile<In, Out>& t,
                    real_component<In>* memory, int threads = 1);

}  // namespace papilio::fft_detail

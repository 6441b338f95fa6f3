#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "base/share.hpp"
#include "base/team_memory.hpp"
#include "fft/operands.hpp"
#include "fft/tile.hpp"

namespace papilio::fft_detail {

/// The lines along one axis of a pair of arrays, cut into tiles and put in order: the index whose
/// neighbours are nearest in memory moves fastest. A tile's result does not depend on the others.
template <class In, class Out>
class axis_lines {
 public:
  using real = real_component<In>;

  /// Extents of `in` and `out` are equal but along `axis`, where they are the line's lengths; none
  /// is 0. Lines may be taken as columns along an axis from `first_column_axis` on. `is_last`: no
  /// other axis follows, so that long results may go past the caches. Refers to `line`.
  axis_lines(const line_transform<In, Out>& line, strided<const In> in, strided<Out> out,
             std::size_t axis, std::size_t first_column_axis, bool is_last = false);
  /// Takes lines in the given way, which the strides must allow.
  axis_lines(const line_transform<In, Out>& line, strided<const In> in, strided<Out> out,
             std::size_t axis, std::size_t first_column_axis, tile_way way, bool is_last = false);
  axis_lines(const axis_lines&) = delete;
  axis_lines& operator=(const axis_lines&) = delete;

  std::size_t tiles() const { return tiles_; }
  std::size_t memory_reals() const {
    return tile_memory(line_, way_) + (first_.streams ? streamed_reals(line_) : 0);
  }
  /// Transforms the tiles [first, last).
  void run(std::size_t first, std::size_t last, real* memory) const;
  bool is_one_line() const { return tiles_ == 1 && inner_extent_ == 1; }
  /// Transforms the only line, on `threads` threads.
  void run_shared(real* memory, int threads) const { run_tile(0, memory, threads); }

 private:
  struct loop {
    std::size_t extent;
    std::ptrdiff_t in, out;
  };
  void order_loops();
  void put_innermost(loop l);
  void run_tile(std::size_t index, real* memory, int threads = 1) const;

  const line_transform<In, Out>& line_;
  tile<In, Out> first_;  // the tile that holds the first line
  // Loops over a few axes need no allocation, which takes longer than a short transform.
  std::array<std::byte, 512> storage_;
  std::pmr::monotonic_buffer_resource resource_{storage_.data(), storage_.size()};
  std::pmr::vector<loop> outer_{&resource_};  // innermost first, without the one within a tile
  std::size_t inner_extent_ = 1, width_ = 1, tiles_per_row_ = 1, tiles_ = 1;
  tile_way way_;
};

/// Runs all tiles on a team of threads, each with memory of its own. A single line is shared by up
/// to `line_threads` of them, and may then allocate, before it writes.
template <class In, class Out>
void run_lines(const axis_lines<In, Out>& lines, base_detail::team team, int line_threads,
               base_detail::team_memory<real_component<In>>& memory);

/// Transforms all lines along `axis`. `in` may have any strides. It may be the elements of `out`;
/// any other overlap is copied first. With empty arrays nothing is done. Throws invalid_argument
/// unless axis < rank; shape_error if extents do not fit or elements of `out` share an address.
template <class In, class Out>
void transform_axis(const char* function, const line_transform<In, Out>& line, strided<const In> in,
                    strided<Out> out, std::size_t axis, int threads);

}  // namespace papilio::fft_detail

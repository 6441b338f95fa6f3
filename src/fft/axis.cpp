#include "fft/axis.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "fft/blocks.hpp"
#include "fft/pointwise.hpp"

namespace papilio::fft_detail {

template <class In, class Out>
axis_lines<In, Out>::axis_lines(const line_transform<In, Out>& line, strided<const In> in,
                                strided<Out> out, std::size_t axis, std::size_t first_column_axis,
                                bool is_last)
    : axis_lines(line, in, out, axis, first_column_axis,
                 way_of(line, in, out, axis, first_column_axis), is_last) {}

template <class In, class Out>
axis_lines<In, Out>::axis_lines(const line_transform<In, Out>& line, strided<const In> in,
                                strided<Out> out, std::size_t axis, std::size_t first_column_axis,
                                tile_way way, bool is_last)
    : line_(line), way_(way) {
  first_.in = in.data;
  first_.out = out.data;
  first_.in_step = in.strides[axis];
  first_.out_step = out.strides[axis];
  const std::size_t column =
      way_ == tile_way::columns ? column_axis(in, out, axis, first_column_axis) : axis;
  outer_.reserve(in.rank());
  for (std::size_t other = 0; other < in.rank(); ++other)
    if (other != axis && other != column && in.extents[other] != 1)
      outer_.push_back({in.extents[other], in.strides[other], out.strides[other]});
  order_loops();
  if (way_ == tile_way::columns) put_innermost({in.extents[column], 1, 1});

  const std::ptrdiff_t step = std::max(std::abs(first_.in_step), std::abs(first_.out_step));
  width_ = std::min(tile_width(line, way_, step), inner_extent_);
  tiles_per_row_ = (inner_extent_ + width_ - 1) / width_;
  tiles_ = tiles_per_row_;
  for (const loop& l : outer_) tiles_ *= l.extent;
  if (way_ != tile_way::direct) return;
  first_.asks_ahead = is_asked_ahead(line, tiles_ * width_);
  first_.streams = is_last && tiles_ > 1 && static_cast<const void*>(in.data) != out.data &&
                   is_streamed(line, tiles_ * width_);
}

// Loops are ordered by the strides of the side that is gathered or scattered, which is the one that
// needs neighbours; by those of out where both are. Loops that continue each other on both sides
// become one.
template <class In, class Out>
void axis_lines<In, Out>::order_loops() {
  if (outer_.empty()) return;
  const bool by_in = is_direct(line_.out_length(), first_.out_step) && way_ == tile_way::gathered;
  const auto step = [&](const loop& l) { return std::abs(by_in ? l.in : l.out); };
  // Stable, of a few, and without the memory that std::stable_sort takes.
  for (std::size_t i = 1; i < outer_.size(); ++i)
    for (std::size_t j = i; j > 0 && step(outer_[j]) < step(outer_[j - 1]); --j)
      std::swap(outer_[j], outer_[j - 1]);
  std::size_t last = 0;
  for (std::size_t i = 1; i < outer_.size(); ++i) {
    loop& inner = outer_[last];
    const auto extent = static_cast<std::ptrdiff_t>(inner.extent);
    if (outer_[i].in == inner.in * extent && outer_[i].out == inner.out * extent) {
      inner.extent *= outer_[i].extent;
    } else {
      outer_[++last] = outer_[i];
    }
  }
  outer_.resize(last + 1);
  inner_extent_ = outer_.front().extent;
  first_.in_line_step = outer_.front().in;
  first_.out_line_step = outer_.front().out;
  outer_.erase(outer_.begin());
}

template <class In, class Out>
void axis_lines<In, Out>::put_innermost(loop l) {
  if (inner_extent_ > 1)
    outer_.insert(outer_.begin(), {inner_extent_, first_.in_line_step, first_.out_line_step});
  inner_extent_ = l.extent;
  first_.in_line_step = l.in;
  first_.out_line_step = l.out;
  // Columns that go on along the next loop are one row of them.
  if (!outer_.empty() && outer_.front().in == static_cast<std::ptrdiff_t>(l.extent) &&
      outer_.front().out == outer_.front().in) {
    inner_extent_ *= outer_.front().extent;
    outer_.erase(outer_.begin());
  }
}

template <class In, class Out>
void axis_lines<In, Out>::run_tile(std::size_t index, real* memory, int threads) const {
  const std::size_t within = index % tiles_per_row_ * width_;
  std::size_t rest = index / tiles_per_row_;
  tile<In, Out> t = first_;
  t.lines = std::min(width_, inner_extent_ - within);
  t.in += static_cast<std::ptrdiff_t>(within) * t.in_line_step;
  t.out += static_cast<std::ptrdiff_t>(within) * t.out_line_step;
  for (const loop& l : outer_) {
    const auto position = static_cast<std::ptrdiff_t>(rest % l.extent);
    rest /= l.extent;
    t.in += position * l.in;
    t.out += position * l.out;
  }
  transform_tile(line_, way_, t, memory, threads);
}

template <class In, class Out>
void axis_lines<In, Out>::run(std::size_t first, std::size_t last, real* memory) const {
  for (std::size_t index = first; index < last; ++index) run_tile(index, memory);
  if (first_.streams) find_pointwise_kernels<real>().end_streams();
}

template <class In, class Out>
void run_lines(const axis_lines<In, Out>& lines, base_detail::team team, int line_threads,
               base_detail::team_memory<real_component<In>>& memory) {
  if (lines.is_one_line()) return lines.run_shared(memory.of(0), line_threads);
  base_detail::share(lines.tiles(), team,
                     [&](std::size_t first, std::size_t last, std::size_t worker) {
                       lines.run(first, last, memory.of(worker));
                     });
}

namespace {

template <class In, class Out>
void require_operands(const char* function, const line_transform<In, Out>& line,
                      const strided<const In>& in, const strided<Out>& out, std::size_t axis) {
  if (axis >= in.rank())
    throw invalid_argument(base_detail::message(function, ": axis must be below the rank ",
                                                in.rank(), ", got ", axis));
  const auto fits = [&](std::span<const std::size_t> extents, std::size_t length) {
    if (extents.size() != in.rank()) return false;
    for (std::size_t other = 0; other < extents.size(); ++other)
      if (extents[other] != (other == axis ? length : in.extents[other])) return false;
    return true;
  };
  if (!fits(in.extents, line.in_length()) || !fits(out.extents, line.out_length())) {
    std::vector<std::size_t> expected(in.extents.begin(), in.extents.end());
    expected[axis] = line.in_length();
    require_extents(function, "in", in.extents, expected);
    expected[axis] = line.out_length();
    require_extents(function, "out", out.extents, expected);
  }
  base_detail::require_distinct(function, out);
}

}  // namespace

template <class In, class Out>
void transform_axis(const char* function, const line_transform<In, Out>& line, strided<const In> in,
                    strided<Out> out, std::size_t axis, int threads) {
  require_operands(function, line, in, out, axis);
  const base_detail::team team = points_team(product(in.extents), threads);
  if (in.empty()) return;
  const source<In> from(in, out);
  const axis_lines<In, Out> lines(line, from.view(), out, axis, 0, true);
  base_detail::team_memory<real_component<In>> memory(team.at_most(lines.tiles()).workers,
                                                      lines.memory_reals());
  run_lines(lines, team, team.offered, memory);
}

#define PAPILIO_AXIS(In, Out)                                                                  \
  template class axis_lines<In, Out>;                                                          \
  template void run_lines(const axis_lines<In, Out>&, base_detail::team, int,                  \
                          base_detail::team_memory<real_component<In>>&);                      \
  template void transform_axis(const char*, const line_transform<In, Out>&, strided<const In>, \
                               strided<Out>, std::size_t, int);
#define PAPILIO_AXES(T)                          \
  PAPILIO_AXIS(std::complex<T>, std::complex<T>) \
  PAPILIO_AXIS(T, std::complex<T>)               \
  PAPILIO_AXIS(std::complex<T>, T)               \
  PAPILIO_AXIS(T, T)
PAPILIO_AXES(float)
PAPILIO_AXES(double)
PAPILIO_AXES(long double)

}  // namespace papilio::fft_detail

#include "fft/tile.hpp"

#include <algorithm>
#include <cstdint>

#include "base/ask_ahead.hpp"
#include "base/caches.hpp"
#include "fft/pointwise.hpp"
#include "papilio/base/error.hpp"

namespace papilio::fft_detail {

using base_detail::soon;
namespace {

constexpr std::size_t cache_line_bytes = 64;
// Lines of a tile that are kept beside each other: two cache lines of single-precision complex
// numbers, so that the prefetcher's pairs of cache lines are used too.
constexpr std::size_t most_lines = 16;
// Gathered lines, their transform and its scratch are to stay in the L2 cache (1 MiB or more).
constexpr std::size_t most_tile_bytes = std::size_t{256} * 1024;
// Contiguous lines need no company; a tile of about this many elements hides what a tile costs.
constexpr std::size_t direct_elements = 1024;
// Distance of prefetching, and lengths of the lines that are prefetched in arrays that do not stay
// in the cache: in shorter and in longer lines the hardware sees the stream itself.
constexpr std::size_t least_bytes_ahead = 2048;
constexpr std::size_t least_line_ahead = 1024, most_line_ahead = 16384;
constexpr std::size_t cached_bytes = std::size_t{256} * 1024;
// Lines that are streamed are made in the first two caches.
constexpr std::size_t most_streamed_line = std::size_t{256} * 1024;

template <class In, class Out>
std::size_t line_bytes(const line_transform<In, Out>& line) {
  return std::max(line.in_length() * sizeof(In), line.out_length() * sizeof(Out));
}

// Reals from one gathered line to the next: whole cache lines, and one more so that the elements of
// equal index of lines whose length is a power of two do not fall on one cache set.
template <class In, class Out>
std::size_t line_pitch(const line_transform<In, Out>& line) {
  const std::size_t lines = (line_bytes(line) + cache_line_bytes - 1) / cache_line_bytes + 1;
  return lines * cache_line_bytes / sizeof(real_component<In>);
}

template <class In, class Out>
std::size_t scratch_pitch(const line_transform<In, Out>& line) {
  constexpr std::size_t reals = cache_line_bytes / sizeof(real_component<In>);
  return (line.scratch_reals() + reals - 1) / reals * reals;
}

template <class T, class Real>
T* line_at(Real* memory, std::size_t pitch, std::size_t index) {
  return reinterpret_cast<T*>(memory + index * pitch);
}

template <class In, class Out>
void gather(const tile<In, Out>& t, std::size_t n, real_component<In>* memory, std::size_t pitch) {
  for (std::size_t j = 0; j < n; ++j) {
    const In* from = t.in + static_cast<std::ptrdiff_t>(j) * t.in_step;
    for (std::size_t i = 0; i < t.lines; ++i, from += t.in_line_step)
      line_at<In>(memory, pitch, i)[j] = *from;
  }
}

template <class In, class Out>
void scatter(const tile<In, Out>& t, std::size_t n, real_component<In>* memory, std::size_t pitch) {
  for (std::size_t j = 0; j < n; ++j) {
    Out* to = t.out + static_cast<std::ptrdiff_t>(j) * t.out_step;
    for (std::size_t i = 0; i < t.lines; ++i, to += t.out_line_step)
      *to = line_at<Out>(memory, pitch, i)[j];
  }
}

// A line that comes soon, asked for while this one is transformed.
template <soon Use, class T>
void ask_for(const T* line, std::ptrdiff_t line_step, std::size_t n) {
  const std::size_t bytes = n * sizeof(T);
  const std::ptrdiff_t lines =
      std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(least_bytes_ahead / bytes));
  base_detail::ask_ahead<Use>(reinterpret_cast<std::uintptr_t>(line) +
                                  static_cast<std::uintptr_t>(line_step * lines) * sizeof(T),
                              bytes);
}

}  // namespace

template <class In, class Out>
bool is_asked_ahead(const line_transform<In, Out>& line, std::size_t lines) {
  const std::size_t bytes = line_bytes(line);
  return bytes >= least_line_ahead && bytes <= most_line_ahead && lines > cached_bytes / bytes;
}

template <class In, class Out>
std::size_t streamed_reals(const line_transform<In, Out>& line) {
  return tile_width(line, tile_way::direct, 1) * line.out_length() * sizeof(Out) /
         sizeof(real_component<Out>);
}

template <class In, class Out>
bool is_streamed(const line_transform<In, Out>& line, std::size_t lines) {
  return line_bytes(line) <= most_streamed_line &&
         lines * line.out_length() >= base_detail::least_streamed_bytes() / sizeof(Out);
}

template <class In, class Out>
std::size_t column_axis(strided<const In> in, strided<Out> out, std::size_t axis,
                        std::size_t first) {
  std::size_t found = in.rank();
  for (std::size_t other = first; other < in.rank(); ++other)
    if (other != axis && in.strides[other] == 1 && out.strides[other] == 1 &&
        (found == in.rank() || in.extents[other] > in.extents[found]))
      found = other;
  return found;
}

template <class In, class Out>
tile_way way_of(const line_transform<In, Out>& line, strided<const In> in, strided<Out> out,
                std::size_t axis, std::size_t first) {
  if (is_direct(line.in_length(), in.strides[axis]) &&
      is_direct(line.out_length(), out.strides[axis]))
    return tile_way::direct;
  if (line.column_width(1) > 0 && column_axis(in, out, axis, first) < in.rank())
    return tile_way::columns;
  return tile_way::gathered;
}

template <class In, class Out>
std::size_t tile_width(const line_transform<In, Out>& line, tile_way way, std::ptrdiff_t step) {
  if (way == tile_way::columns) return line.column_width(step);
  if (way == tile_way::direct) return std::max<std::size_t>(1, direct_elements / line.in_length());
  const std::size_t least = cache_line_bytes / std::max(sizeof(In), sizeof(Out));
  return std::clamp(most_tile_bytes / line_bytes(line), least, most_lines);
}

template <class In, class Out>
std::size_t tile_memory(const line_transform<In, Out>& line, tile_way way) {
  if (way == tile_way::columns) return line.column_memory_reals();
  if (way == tile_way::direct) return scratch_pitch(line);
  constexpr const char* what = "fft: memory of a tile of lines";
  return checked_add(scratch_pitch(line),
                     checked_multiply(tile_width(line, way, 1), line_pitch(line), what), what);
}

namespace {

// Contiguous lines, made in the caches.
template <class In, class Out>
void stream_tile(const line_transform<In, Out>& line, const tile<In, Out>& t,
                 real_component<In>* memory) {
  using real = real_component<In>;
  const std::size_t n = line.out_length();
  Out* const made = reinterpret_cast<Out*>(memory + scratch_pitch(line));
  if (t.asks_ahead) {
    const In* from = t.in;
    for (std::size_t i = 0; i < t.lines; ++i, from += t.in_line_step) {
      ask_for<soon::read>(from, t.in_line_step, line.in_length());
      line.run(from, made + i * n, memory);
    }
  } else {
    line.run_lines(t.in, t.in_line_step, made, static_cast<std::ptrdiff_t>(n), t.lines, memory);
  }
  const auto copy = find_pointwise_kernels<real>().stream_copy;
  const std::size_t reals = n * sizeof(Out) / sizeof(real);
  const auto* const from = reinterpret_cast<const real*>(made);
  if (t.out_line_step == static_cast<std::ptrdiff_t>(n))
    return copy(t.lines * reals, from, reinterpret_cast<real*>(t.out));
  for (std::size_t i = 0; i < t.lines; ++i)
    copy(reals, from + i * reals,
         reinterpret_cast<real*>(t.out + static_cast<std::ptrdiff_t>(i) * t.out_line_step));
}

}  // namespace

template <class In, class Out>
void transform_tile(const line_transform<In, Out>& line, tile_way way, const tile<In, Out>& t,
                    real_component<In>* memory, int threads) {
  if (way == tile_way::columns)
    return line.run_columns(t.in, t.in_step, t.out, t.out_step, t.lines, memory);
  if (t.streams) return stream_tile(line, t, memory);
  if (way == tile_way::direct && threads == 1 && !t.asks_ahead)
    return line.run_lines(t.in, t.in_line_step, t.out, t.out_line_step, t.lines, memory);
  const bool in_direct = is_direct(line.in_length(), t.in_step);
  const bool out_direct = is_direct(line.out_length(), t.out_step);
  real_component<In>* const lines = memory + scratch_pitch(line);
  const std::size_t pitch = line_pitch(line);
  if (!in_direct) gather(t, line.in_length(), lines, pitch);
  for (std::size_t i = 0; i < t.lines; ++i) {
    const auto index = static_cast<std::ptrdiff_t>(i);
    const In* const from = in_direct ? t.in + index * t.in_line_step : line_at<In>(lines, pitch, i);
    Out* const to = out_direct ? t.out + index * t.out_line_step : line_at<Out>(lines, pitch, i);
    if (t.asks_ahead) {
      ask_for<soon::read>(from, t.in_line_step, line.in_length());
      ask_for<soon::write>(to, t.out_line_step, line.out_length());
    }
    if (threads == 1) {
      line.run(from, to, memory);
    } else {
      line.run_shared(from, to, memory, threads);
    }
  }
  if (!out_direct) scatter(t, line.out_length(), lines, pitch);
}

#define PAPILIO_TILE(In, Out)                                                                  \
  template bool is_asked_ahead(const line_transform<In, Out>&, std::size_t);                   \
  template bool is_streamed(const line_transform<In, Out>&, std::size_t);                      \
  template std::size_t streamed_reals(const line_transform<In, Out>&);                         \
  template std::size_t column_axis(strided<const In>, strided<Out>, std::size_t, std::size_t); \
  template tile_way way_of(const line_transform<In, Out>&, strided<const In>, strided<Out>,    \
                           std::size_t, std::size_t);                                          \
  template std::size_t tile_width(const line_transform<In, Out>&, tile_way, std::ptrdiff_t);   \
  template std::size_t tile_memory(const line_transform<In, Out>&, tile_way);                  \
  template void transform_tile(const line_transform<In, Out>&, tile_way, const tile<In, Out>&, \
                               real_component<In>*, int);
#define PAPILIO_TILES(T)                         \
  PAPILIO_TILE(std::complex<T>, std::complex<T>) \
  PAPILIO_TILE(T, std::complex<T>)               \
  PAPILIO_TILE(std::complex<T>, T)               \
  PAPILIO_TILE(T, T)
PAPILIO_TILES(float)
PAPILIO_TILES(double)
PAPILIO_TILES(long double)

}  // namespace papilio::fft_detail

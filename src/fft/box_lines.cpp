#include "fft/box_lines.hpp"

#include <algorithm>
#include <vector>

#include "fft/axis.hpp"
#include "fft/complex_line.hpp"
#include "fft/real_line.hpp"

namespace papilio::fft_detail {
namespace {

template <class T>
tile_way way_in_whole(const complex_line<T>& line, std::span<const std::size_t> extents,
                      std::size_t axis) {
  std::vector<std::ptrdiff_t> strides(extents.size());
  base_detail::set_row_major(extents, strides);
  return way_of<std::complex<T>, std::complex<T>>(line, {nullptr, extents, strides},
                                                  {nullptr, extents, strides}, axis, axis + 1);
}

template <class In, class Out>
void run_box(const line_transform<In, Out>& line, tile_way way, strided<const In> in,
             strided<Out> out, std::size_t axis, real_component<In>* memory) {
  // Lines that are contiguous in the whole need not be so in a part of other strides; they are
  // gathered there, and keep their bits.
  if (way == tile_way::direct && !(is_direct(line.in_length(), in.strides[axis]) &&
                                   is_direct(line.out_length(), out.strides[axis])))
    way = tile_way::gathered;
  const axis_lines<In, Out> lines(line, in, out, axis, axis + 1, way);
  lines.run(0, lines.tiles(), memory);
}

template <class In, class Out>
std::size_t most_memory(const line_transform<In, Out>& line, tile_way way) {
  return std::max(tile_memory(line, way), tile_memory(line, tile_way::gathered));
}

}  // namespace

template <class T>
box_lines<T>::box_lines(std::span<const std::size_t> extents, std::size_t axis, direction dir,
                        fft_options options)
    : axis_(axis),
      plan_(extents[axis], dir, options),
      way_(way_in_whole(plan_access::line(plan_), extents, axis)),
      copies_rows_(way_ == tile_way::columns &&
                   plan_.design({2, 1, 2}).kind == recipe_kind::codelet) {}

template <class T>
std::size_t box_lines<T>::memory_reals() const {
  return most_memory(plan_access::line(plan_), way_);
}

template <class T>
bool box_lines<T>::needs_neighbours() const {
  return way_ == tile_way::columns;
}

template <class T>
void box_lines<T>::run(strided<const std::complex<T>> in, strided<std::complex<T>> out,
                       T* memory) const {
  run_box<std::complex<T>, std::complex<T>>(plan_access::line(plan_), way_, in, out, axis_, memory);
}

template <class T>
std::size_t real_box_lines<T>::memory_reals() const {
  return std::max(most_memory(plan_access::forward(plan_), tile_way::direct),
                  most_memory(plan_access::inverse(plan_), tile_way::direct));
}

template <class T>
void real_box_lines<T>::forward(strided<const T> in, strided<std::complex<T>> out,
                                T* memory) const {
  run_box<T, std::complex<T>>(plan_access::forward(plan_), tile_way::direct, in, out, in.rank() - 1,
                              memory);
}

template <class T>
void real_box_lines<T>::inverse(strided<const std::complex<T>> in, strided<T> out,
                                T* memory) const {
  run_box<std::complex<T>, T>(plan_access::inverse(plan_), tile_way::direct, in, out, in.rank() - 1,
                              memory);
}

template class box_lines<float>;
template class box_lines<double>;
template class real_box_lines<float>;
template class real_box_lines<double>;

}  // namespace papilio::fft_detail

#include "fft/column_transform.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/roots_of_unity.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;
namespace {

template <class T>
std::size_t column_table_size(const pass<T>& p) {
  const std::size_t half = p.radix / 2;
  return 2 * p.l * (p.radix - 1) + (p.radix % 2 == 1 ? 2 * half * half : 0);
}

template <class T>
T* append(T* out, std::complex<T> w) {
  *out++ = w.real();
  *out++ = w.imag();
  return out;
}

template <class T>
T* fill_tables(pass<T>& p, const roots_of_unity<T>& root, T* next) {
  p.twiddles = next;
  for (std::size_t k = 0; k < p.l; ++k)
    for (std::size_t r = 1; r < p.radix; ++r) next = append(next, root(r * k * p.count));
  p.odd_roots = next;
  if (p.radix % 2 == 0) return next;
  const roots_of_unity<T> radix_root(p.radix);
  for (std::size_t j = 1; j <= p.radix / 2; ++j)
    for (std::size_t r = 1; r <= p.radix / 2; ++r)
      next = append(next, std::conj(radix_root(j * r)));
  return next;
}

}  // namespace

template <class T>
column_transform<T>::column_transform(const recipe& line, direction dir, long double scale)
    : n_(line.n),
      swap_(dir == direction::inverse),
      scale_(static_cast<T>(scale)),
      moves_(find_column_moves<T>()) {
  std::size_t l = 1, size = 0;
  for (const std::size_t radix : line.radices) {
    pass<T> p;
    p.radix = radix;
    p.l = l;
    p.count = n_ / (l * radix);
    p.lanes = moves_.lanes;
    l *= radix;
    size += column_table_size(p);
    passes_.push_back(p);
    kernels_.push_back(&find_column_kernels<T>(radix));
  }
  if (passes_.empty()) return;
  passes_.back().scale = scale_;
  tables_ = array<T, 1>(size);
  const roots_of_unity<T> root(n_);
  T* next = tables_.data();
  for (pass<T>& p : passes_) next = fill_tables(p, root, next);
}

template <class T>
std::size_t column_transform<T>::memory_reals(std::size_t runs) const {
  return 3 * tile_rows() * static_cast<std::size_t>(tile_stride(runs));
}

template <class T>
column_rows<T> column_transform<T>::tile(T* memory, std::size_t runs, std::size_t index) const {
  const std::ptrdiff_t stride = tile_stride(runs);
  T* const start = memory + index * tile_rows() * static_cast<std::size_t>(stride);
  return {start, nullptr, stride};
}

// The first `count` passes, into a tile.
template <class T>
column_rows<T> column_transform<T>::run_passes(row_layout from, column_rows<const T> in,
                                               std::size_t count, std::size_t runs,
                                               T* memory) const {
  column_rows<T> to = tile(memory, runs, 0), other = tile(memory, runs, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const column_kernels<T>& kernels = *kernels_[i];
    column_function<T> run = kernels.middle;
    if (i == 0 && from == row_layout::interleaved) run = kernels.first[swap_];
    if (i == 0 && from == row_layout::split) {
      run = kernels.first_split;
      if (swap_) std::swap(in.re, in.im);
    }
    // Less memory in use: the last pass works in place where its input is ours.
    if (i > 0 && passes_[i].count == 1) to = other;
    run(passes_[i], {in, to, runs});
    in = {to.re, nullptr, to.stride};
    std::swap(to, other);
  }
  return other;
}

template <class T>
column_rows<T> column_transform<T>::execute_to_tile(row_layout from, column_rows<const T> in,
                                                    T* memory) const {
  return run_passes(from, in, passes_.size(), 1, memory);
}

template <class T>
void column_transform<T>::execute(row_layout from, column_rows<const T> in, row_layout to,
                                  column_rows<T> out, std::size_t columns, std::size_t runs,
                                  T* memory) const {
  if (columns < runs * lanes()) {
    assert(from == row_layout::interleaved && to == row_layout::interleaved);
    return execute_narrow(in, out, columns, runs, memory);
  }
  if (to == row_layout::split) {
    const column_rows<T> result = run_passes(from, in, passes_.size(), runs, memory);
    if (swap_) std::swap(out.re, out.im);
    moves_.unload_split(n_, scale_, {result.re, nullptr, result.stride}, out, runs);
  } else if (passes_.size() == 1) {
    const column_rows<T> result = run_passes(from, in, 1, runs, memory);
    moves_.unload[swap_](n_, scale_, {result.re, nullptr, result.stride}, out, runs);
  } else {
    const std::size_t last = passes_.size() - 1;
    const column_rows<T> result = run_passes(from, in, last, runs, memory);
    const auto& run =
        to == row_layout::streamed ? kernels_.back()->last_streamed : kernels_.back()->last;
    run[swap_](passes_.back(), {{result.re, nullptr, result.stride}, out, runs});
  }
}

// Transforms fewer columns than a register holds, by a copy of the rows in whole registers.
template <class T>
void column_transform<T>::execute_narrow(column_rows<const T> in, column_rows<T> out,
                                         std::size_t columns, std::size_t runs, T* memory) const {
  const column_rows<T> copy = tile(memory, runs, 2);
  for (std::size_t r = 0; r < n_; ++r) {
    const auto row = static_cast<std::ptrdiff_t>(r);
    T* const rest = std::copy_n(in.re + row * in.stride, 2 * columns, copy.re + row * copy.stride);
    std::fill_n(rest, 2 * (runs * lanes() - columns), T(0));
  }
  execute(row_layout::interleaved, {copy.re, nullptr, copy.stride}, row_layout::interleaved, copy,
          runs * lanes(), runs, memory);
  for (std::size_t r = 0; r < n_; ++r) {
    const auto row = static_cast<std::ptrdiff_t>(r);
    std::copy_n(copy.re + row * copy.stride, 2 * columns, out.re + row * out.stride);
  }
}

template class column_transform<float>;
template class column_transform<double>;

}  // namespace papilio::fft_detail

#include "fft/column_codelet.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "fft/codelet.hpp"
#include "fft/pointwise.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;
namespace {

// Columns of far_bytes have left the second cache when they are stored. Out of place, columns of
// streamed_bytes have left all caches, and are written past them if their rows are whole cache
// lines.
constexpr std::size_t far_bytes = std::size_t{4} << 20, streamed_bytes = std::size_t{8} << 20;

std::size_t bytes_of(std::size_t rows, std::ptrdiff_t step, std::size_t real) {
  return rows * static_cast<std::size_t>(std::abs(step)) * real;
}

}  // namespace

template <class T>
array<T, 1> column_codelet_twiddles(std::span<const std::size_t> radices, direction dir) {
  std::size_t n = 1, size = 0;
  for (std::size_t i = radices.size(); i-- > 0; n *= radices[i])
    size += n == 1 ? 0 : 4 * n * (radices[i] - 1);
  array<T, 1> twiddles(size);
  T* next = twiddles.data();
  for (const std::size_t radix : radices.first(radices.size() - 1)) {
    const roots_of_unity<T> root(n);
    const std::size_t rest = n / radix;
    for (std::size_t c = 0; c < rest; ++c)
      for (std::size_t k = 1; k < radix; ++k, next += 4) put_twiddle(next, 1, 0, root(k * c), dir);
    n = rest;
  }
  return twiddles;
}

std::optional<recipe> codelet_among(std::span<const radices_of_codelet> all, std::size_t n) {
  for (const radices_of_codelet& r : all) {
    if (r.product() != n) continue;
    recipe found{recipe_kind::codelet, n, {r.first, r.second, r.third, r.fourth}, {}};
    std::erase(found.radices, std::size_t{1});
    return found;
  }
  return std::nullopt;
}

std::optional<recipe> design_column_codelet(std::size_t n) {
  return codelet_among(column_codelet_radices, n);
}

template <class T>
column_codelet<T>::column_codelet(const recipe& r, direction dir, long double scale)
    : rows_(r.n),
      code_(*find_column_codelet<T>(r.n)),
      twiddles_(column_codelet_twiddles<T>(r.radices, dir)),
      tables_{twiddles_.data(), dir == direction::inverse ? T(-1) : T(1), static_cast<T>(scale)},
      run_(code_.run[scale != 1]) {}

template <class T>
bool column_codelet<T>::are_far(std::size_t rows, std::ptrdiff_t step) {
  return rows > 64 && bytes_of(rows, step, sizeof(T)) >= far_bytes;
}

template <class T>
void column_codelet<T>::run(const T* in, std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step,
                            std::size_t columns, T* memory) const {
  const auto step = static_cast<std::ptrdiff_t>(2 * code_.complexes);
  const std::ptrdiff_t far_step = std::max(std::abs(in_step), std::abs(out_step));
  const bool far = are_far(rows_, far_step);
  constexpr std::ptrdiff_t line = array_alignment_bytes / sizeof(T);
  const bool streamed = far && in != out && out_step % line == 0 &&
                        reinterpret_cast<std::uintptr_t>(out) % array_alignment_bytes == 0 &&
                        bytes_of(rows_, out_step, sizeof(T)) >= streamed_bytes;
  const auto by_copy = [&](std::size_t some) {
    run_by_copy(in, in_step, out, out_step, some, streamed, memory);
    in += 2 * some;
    out += 2 * some;
    columns -= some;
  };
  if (far)
    while (columns >= most_copied) by_copy(most_copied);
  if (const std::size_t runs = columns / code_.complexes; runs > 0) {
    run_(tables_, {in, out, in_step, out_step, step, step, runs});
    in += static_cast<std::ptrdiff_t>(runs) * step;
    out += static_cast<std::ptrdiff_t>(runs) * step;
    columns %= code_.complexes;
  }
  if (columns > 0) by_copy(columns);
  if (streamed) find_pointwise_kernels<T>().end_streams();
}

// Transforms columns by way of a copy. Rows that lie far apart are read and written many columns at
// a time, and columns that do not fill a register are completed to whole ones.
template <class T>
void column_codelet<T>::run_by_copy(const T* in, std::ptrdiff_t in_step, T* out,
                                    std::ptrdiff_t out_step, std::size_t columns, bool streamed,
                                    T* memory) const {
  const std::size_t runs = (columns + code_.complexes - 1) / code_.complexes;
  const auto step = static_cast<std::ptrdiff_t>(2 * code_.complexes);
  T* row = memory;
  for (std::size_t r = 0; r < rows_; ++r, row += copied_step, in += in_step)
    std::fill(std::copy_n(in, 2 * columns, row), row + static_cast<std::ptrdiff_t>(runs) * step,
              T(0));
  run_(tables_, {memory, memory, copied_step, copied_step, step, step, runs});
  const auto stream = find_pointwise_kernels<T>().stream_copy;
  row = memory;
  for (std::size_t r = 0; r < rows_; ++r, row += copied_step, out += out_step)
    if (streamed) {
      stream(2 * columns, row, out);
    } else {
      std::copy_n(row, 2 * columns, out);
    }
}

template class column_codelet<float>;
template class column_codelet<double>;

template array<float, 1> column_codelet_twiddles(std::span<const std::size_t>, direction);
template array<double, 1> column_codelet_twiddles(std::span<const std::size_t>, direction);

}  // namespace papilio::fft_detail

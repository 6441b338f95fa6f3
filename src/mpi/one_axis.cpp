#include "mpi/one_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::mpi {

std::vector<std::size_t> matrix_of(const char* function, std::size_t n, int ranks) {
  using base_detail::message;
  if (n == 0)
    throw invalid_argument(message(function, ": extents must be at least 1, got 0 for axis 0"));
  auto rows = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  while (rows > 1 && (n % rows != 0 || rows > n / rows)) --rows;
  if (rows < static_cast<std::size_t>(ranks))
    throw invalid_argument(message(
        function, ": one axis is cut into rows of a matrix, and ", n, " = ", rows, " x ", n / rows,
        " has less than a row for each of ", ranks, " ranks; take fewer ranks or another length"));
  return {rows, n / rows};
}

distribution rows_of(const std::vector<std::size_t>& matrix, int ranks) {
  return {matrix, {ranks, 1}};
}

distribution columns_of(const std::vector<std::size_t>& matrix, int ranks) {
  return {matrix, {1, ranks}};
}

fft_design design_one_axis(const std::vector<std::size_t>& matrix, int ranks, order output,
                           direction dir) {
  const distribution rows = rows_of(matrix, ranks), columns = columns_of(matrix, ranks);
  const bool is_natural = output == order::natural;
  if (dir == direction::forward) {
    if (ranks == 1) return {rows, {{{0, 1}, rows}}};
    return {rows, {{{}, columns}, {{0}, rows}, {{1}, is_natural ? columns : rows}}};
  }
  if (ranks == 1) return {rows, {{{1, 0}, rows}}};
  fft_design design{is_natural ? columns : rows, {}};
  if (is_natural) design.steps.push_back({{}, rows});
  design.steps.push_back({{1}, columns});
  design.steps.push_back({{0}, rows});
  return design;
}

template <class T>
matrix_twiddles<T>::matrix_twiddles(std::size_t n, direction dir) : dir_(dir), root_(n) {}

template <class T>
std::complex<T> matrix_twiddles<T>::factor(std::size_t k) const {
  const std::complex<T> w = root_(k);
  return dir_ == direction::forward ? w : std::conj(w);
}

// Along the axis that is whole here, at p = 16 a + b, line q has W^(p q) = W^(16 a q) W^(b q),
// whatever the part, so that its bits are the same for every number of ranks.
template <class T>
void matrix_twiddles<T>::multiply(const base_detail::strided<std::complex<T>>& part,
                                  std::size_t first_row, std::size_t first_column) const {
  constexpr std::size_t block = 16, most_lines = 32;
  const auto product = [](std::complex<T> x, std::complex<T> w) {
    return std::complex<T>(x.real() * w.real() - x.imag() * w.imag(),
                           x.real() * w.imag() + x.imag() * w.real());
  };
  const std::size_t along = after(), across = 1 - along;
  const std::size_t first = along == 0 ? first_column : first_row;
  const std::ptrdiff_t step = part.strides[along], line_step = part.strides[across];
  // Neighbours are inside: of a line, or some lines.
  const std::size_t together = step == 1 ? 1 : most_lines;
  std::array<std::complex<T>, block * most_lines> fine;
  std::array<std::complex<T>, most_lines> coarse;
  for (std::size_t q = 0; q < part.extents[across]; q += together) {
    const std::size_t lines = std::min(together, part.extents[across] - q);
    for (std::size_t b = 0; b < block; ++b)
      for (std::size_t l = 0; l < lines; ++l) fine[b * together + l] = factor((first + q + l) * b);
    std::complex<T>* const from = part.data + static_cast<std::ptrdiff_t>(q) * line_step;
    for (std::size_t p = 0; p < part.extents[along]; p += block) {
      const std::size_t count = std::min(block, part.extents[along] - p);
      for (std::size_t l = 0; l < lines; ++l) coarse[l] = factor((first + q + l) * p);
      std::complex<T>* const at = from + static_cast<std::ptrdiff_t>(p) * step;
      if (step == 1) {
        for (std::size_t b = 0; b < count; ++b) at[b] = product(at[b], product(coarse[0], fine[b]));
        continue;
      }
      for (std::size_t b = 0; b < count; ++b) {
        std::complex<T>* x = at + static_cast<std::ptrdiff_t>(b) * step;
        for (std::size_t l = 0; l < lines; ++l, x += line_step)
          *x = product(*x, product(coarse[l], fine[b * together + l]));
      }
    }
  }
}

template class matrix_twiddles<float>;
template class matrix_twiddles<double>;

}  // namespace papilio::mpi

#include "decompose/masked_equations.hpp"

#include <algorithm>
#include <vector>

#include "decompose/khatri_rao.hpp"
#include "decompose/mode_gram.hpp"
#include "papilio/base/error.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::decompose_detail {
namespace {

constexpr std::size_t chunk_columns = 256;

// The rows of the Khatri-Rao product as those of the modes before times those of the modes after.
struct row_factors {
  array<double, 2> before, after;  // [rank, left], [rank, right]
};

template <class T>
row_factors row_factors_of(std::span<const array<T, 2>> factors, std::size_t mode) {
  std::vector<view<const T, 2>> turned;
  for (const array<T, 2>& f : factors)
    turned.emplace_back(f.data(), extents_type<2>{f.extent(1), f.extent(0)},
                        strides_type<2>{1, static_cast<std::ptrdiff_t>(f.extent(1))});
  const std::span<const view<const T, 2>> all(turned);
  const std::size_t rank = factors[0].extent(0);
  return {khatri_rao<double>(all.first(mode), rank),
          khatri_rao<double>(all.subspan(mode + 1), rank)};
}

// Columns [first, first + count) of the transposed Khatri-Rao product: [rank, count].
void fill_rows(const row_factors& from, std::size_t first, std::size_t count, double* rows) {
  const std::size_t right = from.after.extent(1), left = from.before.extent(1);
  for (std::size_t r = 0; r < from.before.extent(0); ++r)
    for (std::size_t q = 0; q < count; ++q)
      rows[r * count + q] = from.before.data()[r * left + (first + q) / right] *
                            from.after.data()[r * right + (first + q) % right];
}

// Products of each two rows: [rank (rank + 1) / 2, count].
void fill_squares(const double* rows, std::size_t rank, std::size_t count, double* squares) {
  for (std::size_t r = 0; r < rank; ++r)
    for (std::size_t s = 0; s <= r; ++s, squares += count)
      for (std::size_t q = 0; q < count; ++q)
        squares[q] = rows[r * count + q] * rows[s * count + q];
}

// sum += unfolded chunk times the transpose of `by` [rows, count].
void add_product(const mode_split& split, std::size_t count, const double* chunk,
                 view<const double, 2> by, array<double, 2>& sum, int threads) {
  const auto pitch = static_cast<std::ptrdiff_t>(split.extent);
  const view<const double, 2> left =
      split.right == 1 ? view<const double, 2>(chunk, {split.extent, count}, {1, pitch})
                       : view<const double, 2>(chunk, {split.extent, count});
  gemm(1.0, left, by, 1.0, sum, {.b = matrix_op::transpose, .threads = threads});
}

}  // namespace

template <class T>
masked_equations<T>::masked_equations(const prepared_operand<T>& x, std::size_t rank, int threads)
    : x_(x), rank_(rank), threads_(threads) {}

template <class T>
void masked_equations<T>::form(std::size_t mode, std::span<const array<T, 2>> factors) {
  const mode_split split = split_at(x_.extents, mode);
  const std::size_t pairs = checked_multiply(rank_, rank_ + 1, "cp_als: rank") / 2;
  const std::size_t length = std::min(chunk_columns, split.columns());
  squares_ = array<double, 2>({split.extent, pairs});
  right_ = array<double, 2>({split.extent, rank_});
  const row_factors from = row_factors_of(factors, mode);
  array<double, 2> rows({rank_, length}, uninitialized), squares({pairs, length}, uninitialized);
  array<double, 1> chunk(split.extent * length, uninitialized);
  for (std::size_t first = 0; first < split.columns(); first += length) {
    const std::size_t count = std::min(length, split.columns() - first);
    fill_rows(from, first, count, rows.data());
    fill_squares(rows.data(), rank_, count, squares.data());
    unfold(x_.data, split, first, count, chunk.data());
    add_product(split, count, chunk.data(), {rows.data(), {rank_, count}}, right_, threads_);
    unfold(x_.mask, split, first, count, chunk.data());
    add_product(split, count, chunk.data(), {squares.data(), {pairs, count}}, squares_, threads_);
  }
}

template <class T>
void masked_equations<T>::matrix(std::size_t row, double* v) const {
  const double* packed = squares_.data() + row * squares_.extent(1);
  for (std::size_t r = 0; r < rank_; ++r)
    for (std::size_t s = 0; s <= r; ++s) v[r * rank_ + s] = v[s * rank_ + r] = *packed++;
}

template class masked_equations<float>;
template class masked_equations<double>;

}  // namespace papilio::decompose_detail

#include "chem/pair_energy.hpp"

#include <algorithm>

#include "blas/cblas_calls.hpp"
#include "papilio/base/error.hpp"

namespace papilio::chem_detail {
namespace {

std::size_t padded(std::size_t elements) {
  return (elements + row_padding - 1) / row_padding * row_padding;
}

std::size_t checked_product(std::size_t a, std::size_t b) {
  return checked_multiply(a, b, "df_mp2: elements of a block");
}

}  // namespace

/// Parts of the workspace of a block.
template <class T>
struct pair_energy<T>::memory {
  T* products;     ///< [block_rows, pitch]
  T* exchange;     ///< products of the exchanged tile
  T* row_gaps;     ///< [tile_rows]
  T* row_copy;     ///< [block_rows, naux], or null
  T* column_copy;  ///< [block_columns, naux], or null
};

template <class T>
pair_energy<T>::pair_energy(pair_spins kind, const orbital_set<T>& rows,
                            const orbital_set<T>& columns)
    : kind_(kind), rows_(rows), columns_(columns) {
  if (rows.is_empty() || columns.is_empty()) return;
  cut_ = cut_pairs(rows.virtuals(), columns.virtuals());
  blocks_ = blocks_of(kind, cut_, rows.occupied(), columns.occupied());
  sums_.resize(blocks_.size());
  copies_rows_ = !has_rows_in_place(rows.b());
  copies_columns_ = !has_rows_in_place(columns.b());
}

template <class T>
double pair_energy<T>::work_of(std::size_t block) const {
  return static_cast<double>(pairs_of(block)) * static_cast<double>(rows_.virtuals()) *
         static_cast<double>(columns_.virtuals()) * static_cast<double>(rows_.auxiliaries());
}

// Rows are one vector longer than needed: tiles walk down columns, whose addresses must not differ
// by powers of two, as these share cache sets.
template <class T>
std::size_t pair_energy<T>::pitch() const {
  return padded(std::max(block_columns(), has_exchange_tile() ? block_rows() : 0)) + row_padding;
}

template <class T>
bool pair_energy<T>::has_exchange_tile() const {
  return kind_ != pair_spins::opposite_spin && cut_.tile_rows < rows_.virtuals();
}

template <class T>
std::size_t pair_energy<T>::workspace_elements() const {
  if (blocks_.empty()) return 0;
  const std::size_t naux = rows_.auxiliaries();
  const std::size_t products = checked_product(block_rows(), pitch());
  std::size_t elements = products + padded(cut_.tile_rows) + row_padding;
  if (has_exchange_tile()) elements += products;
  if (copies_rows_) elements += padded(checked_product(block_rows(), naux));
  if (copies_columns_) elements += padded(checked_product(block_columns(), naux));
  return elements;
}

template <class T>
typename pair_energy<T>::memory pair_energy<T>::split(T* workspace) const {
  const auto take = [&workspace](std::size_t elements) {
    T* const here = workspace;
    workspace += elements;
    return here;
  };
  const std::size_t products = block_rows() * pitch(), naux = rows_.auxiliaries();
  memory at{};
  at.products = take(products);
  at.exchange = has_exchange_tile() ? take(products) : at.products;
  at.row_gaps = take(padded(cut_.tile_rows));
  if (copies_rows_) at.row_copy = take(padded(block_rows() * naux));
  if (copies_columns_) at.column_copy = take(padded(block_columns() * naux));
  return at;
}

// Computes (ia|jb) of the two ranges of orbitals.
template <class T>
void pair_energy<T>::multiply(const orbital_range& rows, const orbital_range& columns,
                              const memory& at, T* to) const {
  const auto left = blas_detail::expressed(rows_of_range(rows_.b(), rows, at.row_copy));
  const auto right =
      blas_detail::expressed(rows_of_range(columns_.b(), columns, at.column_copy).transposed());
  blas_detail::call_row_major_gemm(
      left.op, right.op, static_cast<int>(rows.rows()), static_cast<int>(columns.rows()),
      static_cast<int>(rows_.auxiliaries()), T(1), left.data, left.pitch, right.data, right.pitch,
      T(0), to, static_cast<int>(pitch()));
}

template <class T>
void pair_energy<T>::run(std::size_t index, T* workspace) {
  const pair_block& block = blocks_[index];
  const memory at = split(workspace);
  pair_sums sums;
  for (std::size_t a = 0; a < rows_.virtuals(); a += cut_.tile_rows)
    for (std::size_t b = 0; b < columns_.virtuals(); b += cut_.tile_columns)
      if (kind_ == pair_spins::opposite_spin || b <= a) add_tile(block, a, b, at, sums);
  sums_[index] = sums;
}

template <class T>
void pair_energy<T>::add_tile(const pair_block& block, std::size_t a, std::size_t b,
                              const memory& at, pair_sums& sums) const {
  const std::size_t rows = std::min(cut_.tile_rows, rows_.virtuals() - a);
  const std::size_t columns = std::min(cut_.tile_columns, columns_.virtuals() - b);
  multiply({.i = block.i, .occupied = block.rows, .a = a, .virtuals = rows},
           {.i = block.j, .occupied = block.columns, .a = b, .virtuals = columns}, at, at.products);
  const bool is_diagonal = kind_ != pair_spins::opposite_spin && a == b;
  // A block with an exchange tile is a single pair of i and j, symmetric in a and b if i = j.
  if (has_exchange_tile() && !is_diagonal && block.i != block.j)
    multiply({.i = block.i, .occupied = 1, .a = b, .virtuals = columns},
             {.i = block.j, .occupied = 1, .a = a, .virtuals = rows}, at, at.exchange);
  const auto step = static_cast<std::ptrdiff_t>(pitch());
  for (std::size_t i = 0; i < block.rows; ++i)
    for (std::size_t j = 0; j < block.columns; ++j) {
      const double depth = rows_.depth(block.i + i) + columns_.depth(block.j + j);
      for (std::size_t r = 0; r < rows; ++r)
        at.row_gaps[r] = static_cast<T>(depth + rows_.height(a + r));
      const T* const x = at.products + i * rows * pitch() + j * columns;
      const pair_tile<T> tile{.x = x,
                              .x_pitch = step,
                              .y = is_diagonal ? x : at.exchange,
                              .y_pitch = step,
                              .rows = rows,
                              .columns = columns,
                              .row_gap = at.row_gaps,
                              .column_gap = columns_.heights(b),
                              .is_diagonal = is_diagonal};
      add_pair(tile, block.i + i == block.j + j, sums);
    }
}

// If i = j, integrals are symmetric in a and b: the pair counts once, and a tile below the diagonal
// also stands for its mirror image above.
template <class T>
void pair_energy<T>::add_pair(const pair_tile<T>& tile, bool is_same, pair_sums& sums) const {
  const energy_pass<T>& pass = find_energy_pass<T>();
  if (kind_ == pair_spins::opposite_spin) {
    sums.squares += pass.squares(tile);
    return;
  }
  if (is_same && !tile.is_diagonal) {
    sums.squares += 2 * pass.squares(tile);
    return;
  }
  const pair_sums found = pass.both_spins(tile);
  const double weight = kind_ == pair_spins::closed_shell && !is_same ? 2 : 1;
  sums.squares += weight * found.squares;
  if (!is_same) sums.differences += weight * found.differences;
}

template class pair_energy<float>;
template class pair_energy<double>;

}  // namespace papilio::chem_detail

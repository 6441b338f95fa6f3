#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/team_memory.hpp"
#include "fft/blocks.hpp"
#include "fft/column_transform.hpp"
#include "fft/executable.hpp"
#include "fft/shared_table.hpp"
#include "papilio/base/array.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// Parts that the four-step transforms share: the transforms over the columns of [n1, n2] and over
/// those of the transposed matrix [n2, n1], and the twiddles between.
template <class T>
class four_step_matrix {
 public:
  /// `scale` multiplies the results of the second step.
  four_step_matrix(const recipe& r, direction dir, long double scale);

  std::size_t n1() const { return n1_; }
  std::size_t n2() const { return n2_; }
  std::size_t lanes() const { return lanes_; }
  const column_transform<T>& columns() const { return columns_; }
  const column_transform<T>& rows() const { return rows_; }

  /// Reals of memory with which a block of either step runs.
  std::size_t block_reals() const {
    return std::max(columns_.memory_reals(1), rows_.memory_reals(1));
  }
  /// Reals of scratch of a call whose threads have `own` reals each: those of the first, and the
  /// matrix.
  std::size_t scratch_reals(std::size_t own) const;
  /// Reals of a row of the matrix where it lies in scratch.
  std::size_t pitch() const;
  /// Returns a team of as many threads as have enough to do.
  base_detail::team team(int threads) const {
    return steps_team(n1_ * n2_, threads).at_most(std::max(n1_, n2_) / lanes_);
  }

  /// Whether a result at `out` is long enough, and begins where it can, to be written past the
  /// caches, by both steps.
  bool streams_to(const T* out) const {
    return streams_ && reinterpret_cast<std::uintptr_t>(out) % array_alignment_bytes == 0;
  }

  /// Multiplies a tile of the first step, block number `block` from column c on, by the twiddles
  /// and writes it to rows c, c + 1, ... of the matrix.
  void put(column_rows<const T> tile, std::size_t c, std::size_t block, column_rows<T> matrix,
           bool streamed) const;

  /// Calls body(first column, block, worker) for every block of columns among `total`. Columns that
  /// are left over are done by a block that overlaps the last one, after it.
  template <class Body>
  void for_each_block(std::size_t total, base_detail::team team, const Body& body) const {
    const std::size_t blocks = total / lanes_;
    const auto run = [&](std::size_t first, std::size_t last, std::size_t worker) {
      for (std::size_t block = first; block < last; ++block) body(block * lanes_, block, worker);
      if (last == blocks && total % lanes_ != 0) body(total - lanes_, blocks, worker);
    };
    base_detail::share(blocks, team, run);
  }

 private:
  std::size_t n1_, n2_, lanes_;
  column_transform<T> columns_, rows_;
  bool streams_;
  const column_moves<T>& moves_ = find_column_moves<T>();
  shared_table<T> twiddles_;  // of the lanes of a register, then of the first columns of registers
};

/// Memory of one call: the first thread's own and the matrix from the caller's scratch, the other
/// threads' allocated before anything is written.
template <class T>
class four_step_memory {
 public:
  four_step_memory(T* scratch, std::size_t own, std::size_t team)
      : first_(aligned(scratch)), own_(own), others_(team - 1, own) {}
  T* of(std::size_t worker) { return worker == 0 ? first_ : others_.of(worker - 1); }
  T* matrix() { return first_ + own_; }

 private:
  T* first_;
  std::size_t own_;
  base_detail::team_memory<T> others_;
};

/// Return rows of `length` reals, and the rows that begin `reals` further on.
template <class T>
column_rows<T> rows_at(T* re, std::size_t length) {
  return {re, nullptr, static_cast<std::ptrdiff_t>(length)};
}
template <class T>
column_rows<T> shifted(column_rows<T> rows, std::size_t reals) {
  return {rows.re + reals, rows.im == nullptr ? nullptr : rows.im + reals, rows.stride};
}

extern template class four_step_matrix<float>;
extern template class four_step_matrix<double>;

}  // namespace papilio::fft_detail

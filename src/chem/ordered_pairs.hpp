#pragma once

#include <algorithm>
#include <cstddef>

#include "blas/block_grid.hpp"
#include "blas/buffer_pool.hpp"
#include "blas/serial_blas.hpp"
#include "chem/orbital_set.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/blas/gemm.hpp"

// All pairs of an occupied orbital i of one set with j of another, or of the same: for each i and some
// j at a time (ia|jb) by one product, and room for as many numbers.
namespace papilio::chem_detail {

/// Rows of B, (orbital, virtual orbital) x auxiliary, copied where they are not contiguous.
template <class T>
struct orbital_matrix {
  array<T, 3> copy;
  view<const T, 2> rows;

  explicit orbital_matrix(const view<const T, 3>& b)
      : copy(b.is_contiguous() ? array<T, 3>() : contiguous(b)),
        rows(copy.empty() ? b.data() : copy.data(), {b.extent(0) * b.extent(1), b.extent(2)}) {}

 private:
  static array<T, 3> contiguous(const view<const T, 3>& b) {
    array<T, 3> all(b.extents(), uninitialized);
    for (std::size_t i = 0; i < b.extent(0); ++i)
      for (std::size_t a = 0; a < b.extent(1); ++a)
        for (std::size_t p = 0; p < b.extent(2); ++p) all(i, a, p) = b(i, a, p);
    return all;
  }
};

/// The orbitals of one spin with their B.
template <class T>
struct spin_rows {
  const orbital_set<T>& set;
  orbital_matrix<T> b = orbital_matrix<T>(set.b());
};

/// One i with some j from `first` on.
template <class T>
struct ordered_block {
  std::size_t first, some;
  view<const T, 2> of_j;  ///< B, (j, b) x auxiliary
  view<T, 2> v, other;    ///< [a, (j, b)]: (ia|jb), and room

  view<T, 2> part(const view<T, 2>& of, std::size_t j) const {
    const std::size_t each = of.extent(1) / some;
    return of.slice(1, j * each, each);
  }
};

template <class T>
struct ordered_pairs {
  const spin_rows<T>&mine, &others;

  bool is_empty() const { return mine.set.is_empty() || others.set.is_empty(); }

  /// Calls body(i, blocks of i) for all i, on so many threads.
  template <class Body>
  void for_each_occupied(int threads, const Body& body) const {
    if (is_empty()) return;
    const std::size_t nocc = mine.set.occupied(), nvir = mine.set.virtuals(),
                      other = others.set.virtuals(), columns = others.set.occupied() * other;
    const std::size_t together =
        std::clamp<std::size_t>(most_numbers / (nvir * other), 1, others.set.occupied());
    const int team = blas_detail::threads_for(2 * static_cast<double>(nocc * nvir) *
                                                  static_cast<double>(columns) *
                                                  static_cast<double>(mine.set.auxiliaries()),
                                              threads);
    blas_detail::use_serial_blas();
    blas_detail::buffer_pool<T> workspaces(std::min(nocc, static_cast<std::size_t>(team)),
                                           2 * together * nvir * other);
    parallel_for(nocc, team, [&](std::size_t i) {
      typename blas_detail::buffer_pool<T>::lease workspace(workspaces);
      body(i, [&](const auto& of_block) { blocks_of(i, together, workspace.data(), of_block); });
    });
  }

 private:
  static constexpr std::size_t most_numbers = std::size_t{1} << 18;

  template <class Body>
  void blocks_of(std::size_t i, std::size_t together, T* memory, const Body& body) const {
    const std::size_t nvir = mine.set.virtuals(), other = others.set.virtuals(),
                      nocc = others.set.occupied();
    const view<const T, 2> of_i = mine.b.rows.slice(0, i * nvir, nvir);
    for (std::size_t first = 0; first < nocc; first += together) {
      const std::size_t some = std::min(together, nocc - first), columns = some * other;
      const ordered_block<T> b{first,
                               some,
                               others.b.rows.slice(0, first * other, columns),
                               {memory, {nvir, columns}},
                               {memory + nvir * columns, {nvir, columns}}};
      gemm(T(1), of_i, b.of_j, T(0), b.v, {.b = matrix_op::transpose, .threads = 1});
      body(b);
    }
  }
};

}  // namespace papilio::chem_detail

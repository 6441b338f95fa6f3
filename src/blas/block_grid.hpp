#pragma once

#include <cstddef>
#include <type_traits>

namespace papilio::blas_detail {

/// Cut of C [m, n] of a product into blocks: by its shape alone, so that no result depends on the
/// number of threads.
struct block_grid {
  std::size_t block_rows = 0, block_columns = 0;
  std::size_t row_blocks = 0, column_blocks = 0;

  std::size_t count() const { return row_blocks * column_blocks; }
};

/// Real multiply-additions for one of T.
template <class T>
inline constexpr std::size_t weight_of = std::is_floating_point_v<T> ? 1 : 4;

/// A product of m x n x k multiplications and additions of real numbers, `weight` times as many of
/// others.
block_grid cut(std::size_t m, std::size_t n, std::size_t k, std::size_t weight);

/// Separable rows are cut at multiples of this, which the tiles of kernels divide.
inline constexpr std::size_t row_grain = 24;

/// Division of a product among threads: by its shape alone, or in a way that has no influence on
/// the bits of the result.
struct product_cut {
  enum class kind {
    whole,  ///< one call
    rows,   ///< panels of rows, each to be cut further at multiples of row_grain, as is useful
    grid,   ///< the blocks of a grid
    sum     ///< parts of the sum over k, added up in order
  };
  kind by = kind::whole;
  std::size_t panels = 1;  ///< of rows
  std::size_t terms = 0;   ///< of each part of a sum but the last
  std::size_t sums = 1;
};
product_cut cut_product(std::size_t m, std::size_t n, std::size_t k, std::size_t weight,
                        bool (*has_separable_rows)());

/// The rows of C in panels, each in `parts` blocks.
struct row_blocks {
  std::size_t rows = 0, panels = 1, parts = 1;

  std::size_t count() const { return panels * parts; }
  /// First row of block `index`; of block count(), `rows`.
  std::size_t first(std::size_t index) const;
};
/// Returns as many blocks as `team` threads share evenly in all `items` products of one shape, and
/// none that is long where this thread polls for interruption between them. For a team of 0 it is
/// as many as the shape alone makes useful.
row_blocks share_rows(std::size_t panels, std::size_t items, int team, std::size_t m, std::size_t n,
                      std::size_t k, std::size_t weight);

/// Multiply-additions of the longest block of a grid, and of any between which a call may be ended:
/// about half a second of one core.
inline constexpr double longest_block = 0x1p32;

/// Length of the pieces into which `outer` columns (or rows) of a product with a square matrix of
/// `inner` rows are cut.
std::size_t cut_line(std::size_t inner, std::size_t outer, std::size_t weight);

/// Edge of the square blocks into which a product [n, k] [k, n] with itself is cut.
std::size_t cut_square(std::size_t n, std::size_t k, std::size_t weight);

/// Multiply-additions, as a floating-point number since they may overflow any other.
inline double work_of(std::size_t m, std::size_t n, std::size_t k, std::size_t weight) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
         static_cast<double>(weight);
}

/// Multiply-additions below which starting a thread does not pay: some 30 microseconds of one core.
inline constexpr double worth_a_thread = 0x1p21;

/// Threads worth starting for this much work, at most `threads` (0: every core).
int threads_for(double work, int threads);

}  // namespace papilio::blas_detail

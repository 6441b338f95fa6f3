#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/fft/digits.hpp"
#include "kernels/real/line_program.hpp"
#include "kernels/real/real_lines.hpp"

// Lines of even length in two stages: see paired_lines.cpp.
namespace papilio::kernels_detail {

/// A real of a group, where matrices are filled: part of an index's value.
struct real_part {
  std::int64_t index = 0;  ///< of a bin, or of a row of A with its j2
  int plane = 0;
};

/// How a length is cut, and how many reals its groups have.
struct paired_geometry {
  real_lines what;
  std::int64_t m = 1, r1 = 1, r2 = 1;
  std::int64_t pairs = 1;   ///< of rows; of an odd r1 the first has one row only
  std::int64_t shared = 1;  ///< columns j2 in a matrix of the stage over r1
  std::int64_t side = 1;
  std::int64_t together = 1;  ///< lines on a partition, one after the other in each plane

  paired_geometry(const real_lines& of, std::int64_t radix1, std::int64_t array_rows)
      : what(of), m(of.n / 2), r1(radix1), r2(m / radix1), pairs((r1 + 1) / 2), side(array_rows) {
    shared = largest_divisor(r2, std::max<std::int64_t>(1, side / (4 * pairs)));
  }
  std::int64_t plane() const { return together * (m + 1); }
  // Of the stage over r1.
  std::int64_t points_columns() const { return 2 * r1 * shared; }   // (j1, j2, plane)
  std::int64_t rows_columns() const { return 4 * pairs * shared; }  // (pair, side, plane, j2)
  std::int64_t point_groups() const { return r2 / shared; }
  std::int64_t point_pieces() const {
    return (what.inverse ? rows_columns() : points_columns()) > side ? 2 : 1;
  }
  std::int64_t point_results() const { return what.inverse ? points_columns() : rows_columns(); }
  // Of the stage over r2: of a pair after the first, (plane, side, j2) or (plane, side, h).
  std::int64_t pair_reals() const { return 4 * r2; }
  std::int64_t pair_pieces() const { return 4 * r2 <= side ? 1 : 2 * r2 <= side ? 2 : 4; }
  /// Row k1 of A that a pair has on a side; -1: none.
  std::int64_t row(std::int64_t pair, std::int64_t which) const {
    if (pair > 0) return which == 0 ? pair : r1 - pair;
    return which == 0 ? 0 : r1 % 2 == 0 ? r1 / 2 : -1;
  }
  /// Bins of the first pair, from 0 to m.
  std::int64_t first_step() const { return r1 % 2 == 0 ? r1 / 2 : r1; }
  std::int64_t first_bins() const { return m / first_step() + 1; }
  /// Pieces of the first pair's bins, inverse: real parts, and imaginary parts but the ends'.
  std::vector<line_piece> first_pieces(std::vector<std::vector<real_part>>* rows = nullptr) const;
};

/// The matrices of the stage over r2, of all pairs and pieces side by side.
void fill_pairs(const paired_geometry& g, std::int64_t table_columns, std::span<float> table);

/// The matrix of the stage over r1: points (j1, j2, plane), and rows (pair, side, plane, j2)
/// forward, (plane, pair, side, j2) inverse.
void fill_points(const paired_geometry& g, std::int64_t table_columns, std::span<float> table);

}  // namespace papilio::kernels_detail

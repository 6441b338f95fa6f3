#pragma once

#include <cstdint>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"

namespace papilio {

/// Selects the triangle of a square matrix, with the diagonal, that is read or written; the other
/// is not.
enum class matrix_triangle : std::uint8_t { lower, upper };

/// Selects the side of the product on which the square matrix stands.
enum class matrix_side : std::uint8_t { left, right };

/// Describes how accelerators store one triangle of a matrix [n, n] contiguously: by rows of blocks
/// of `block` x `block`, each with those of its blocks that touch the triangle, row-major. In
/// blocks on the diagonal the elements of the other triangle are 0. The last row and column of
/// blocks end with the matrix. About n^2 / 2 + block n / 2 elements.
class PAPILIO_API triangle_layout {
 public:
  /// Throws invalid_argument unless n and block are at least 1, resource_error if elements
  /// overflow.
  triangle_layout(matrix_triangle part, std::int64_t n, std::int64_t block);

  matrix_triangle part() const { return part_; }
  std::int64_t n() const { return n_; }
  std::int64_t block() const { return block_; }
  std::int64_t elements() const { return elements_; }

  /// Describes a row of blocks: rows [row, row + rows) and columns [column, column + columns) of
  /// the matrix, contiguous from element `offset`.
  struct row_of_blocks {
    std::int64_t row = 0, rows = 0, column = 0, columns = 0, offset = 0;
  };
  std::int64_t rows_of_blocks() const { return (n_ + block_ - 1) / block_; }
  row_of_blocks at(std::int64_t index) const;

  /// Copies the triangle of `matrix` to `packed`, with zeros beside it; the other triangle is not
  /// read.
  /// Throws shape_error unless matrix is [n, n] and packed has elements().
  void pack(const view<const float, 2>& matrix, std::span<float> packed) const;
  /// Copies the triangle of `packed` to that of `matrix`; the other triangle is not touched. Throws
  /// as pack.
  void unpack(std::span<const float> packed, const view<float, 2>& matrix) const;

 private:
  void check(const char* function, const view<const float, 2>& matrix, std::size_t packed) const;

  matrix_triangle part_;
  std::int64_t n_, block_, elements_ = 0;
};

}  // namespace papilio

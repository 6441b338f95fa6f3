#pragma once

#include <cstdint>
#include <span>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"

namespace papilio::kernels {

/// A triangle of a square matrix, its diagonal included.
enum class triangle : std::uint8_t { lower, upper };

/// On which side of B or X the triangular or symmetric matrix stands.
enum class solve_side : std::uint8_t { left, right };

/// One triangle of a matrix [n, n] as kernels keep it in one piece of memory: by rows of blocks of
/// `block` x `block`, each row of blocks with those of its blocks that touch the triangle,
/// row-major. In blocks on the diagonal the elements of the other triangle are 0. The last row and
/// column of blocks are as short as the matrix ends. About half of n^2 elements, and block n / 2
/// more.
class PAPILIO_API triangle_layout {
 public:
  /// invalid_argument unless n and block are at least 1; resource_error where elements overflow.
  triangle_layout(triangle part, std::int64_t n, std::int64_t block);

  triangle part() const { return part_; }
  std::int64_t n() const { return n_; }
  std::int64_t block() const { return block_; }
  std::int64_t elements() const { return elements_; }

  /// A row of blocks: rows [row, row + rows) and columns [column, column + columns) of the matrix,
  /// from element `offset` on, without gaps.
  struct row_of_blocks {
    std::int64_t row = 0, rows = 0, column = 0, columns = 0, offset = 0;
  };
  std::int64_t rows_of_blocks() const { return (n_ + block_ - 1) / block_; }
  row_of_blocks at(std::int64_t index) const;

  /// The triangle of `matrix` into `packed`, zeros beside it; the other triangle is not read.
  /// shape_error unless matrix is [n, n] and packed has elements().
  void pack(const view<const float, 2>& matrix, std::span<float> packed) const;
  /// The triangle of `packed` into that of `matrix`, whose other triangle is not touched. Errors as
  /// pack.
  void unpack(std::span<const float> packed, const view<float, 2>& matrix) const;

 private:
  void check(const char* function, const view<const float, 2>& matrix, std::size_t packed) const;

  triangle part_;
  std::int64_t n_, block_, elements_ = 0;
};

}  // namespace papilio::kernels

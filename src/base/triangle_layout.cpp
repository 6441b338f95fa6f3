#include "papilio/base/triangle.hpp"

#include <algorithm>

#include "papilio/base/error.hpp"

namespace papilio {

triangle_layout::triangle_layout(matrix_triangle part, std::int64_t n, std::int64_t block)
    : part_(part), n_(n), block_(block) {
  for (const auto& [name, value] : {std::pair("n", n), std::pair("block", block)})
    if (value < 1)
      throw invalid_argument(
          base_detail::message("triangle_layout: ", name, " must be at least 1, got ", value));
  constexpr const char* what = "triangle_layout: elements";
  checked_multiply(checked_add(n, block, what), n, what);
  const row_of_blocks last = at(rows_of_blocks() - 1);
  elements_ = last.offset + last.rows * last.columns;
}

triangle_layout::row_of_blocks triangle_layout::at(std::int64_t index) const {
  row_of_blocks r{.row = index * block_};
  r.rows = std::min(block_, n_ - r.row);
  const std::int64_t before = index * (index - 1) / 2 * block_ * block_;
  if (part_ == matrix_triangle::lower) {
    r.columns = r.row + r.rows;
    r.offset = before + index * block_ * block_;
  } else {
    r.column = r.row;
    r.columns = n_ - r.row;
    r.offset = r.row * n_ - before;
  }
  return r;
}

void triangle_layout::check(const char* function, const view<const float, 2>& matrix,
                            std::size_t packed) const {
  const auto n = std::size_t(n_);
  if (matrix.extent(0) != n || matrix.extent(1) != n || packed != std::size_t(elements_))
    throw shape_error(base_detail::message(
        "triangle_layout::", function, ": matrix must be ", n_, " x ", n_, " and packed have ",
        elements_, " elements, got ", matrix.extent(0), " x ", matrix.extent(1), " and ", packed));
}

void triangle_layout::pack(const view<const float, 2>& matrix, std::span<float> packed) const {
  check("pack", matrix, packed.size());
  for (std::int64_t b = 0; b < rows_of_blocks(); ++b) {
    const row_of_blocks r = at(b);
    float* to = packed.data() + r.offset;
    for (std::int64_t i = r.row; i < r.row + r.rows; ++i)
      for (std::int64_t j = r.column; j < r.column + r.columns; ++j)
        *to++ = (part_ == matrix_triangle::lower ? j <= i : j >= i)
                    ? matrix(std::size_t(i), std::size_t(j))
                    : 0.0F;
  }
}

void triangle_layout::unpack(std::span<const float> packed, const view<float, 2>& matrix) const {
  check("unpack", matrix, packed.size());
  for (std::int64_t b = 0; b < rows_of_blocks(); ++b) {
    const row_of_blocks r = at(b);
    for (std::int64_t i = r.row; i < r.row + r.rows; ++i) {
      const std::int64_t first = part_ == matrix_triangle::lower ? r.column : i,
                         last = part_ == matrix_triangle::lower ? i + 1 : n_;
      const float* const from = packed.data() + r.offset + (i - r.row) * r.columns - r.column;
      for (std::int64_t j = first; j < last; ++j) matrix(std::size_t(i), std::size_t(j)) = from[j];
    }
  }
}

}  // namespace papilio

#pragma once

namespace papilio {

/// Selects op(A) of a matrix operand: A, its transpose, its complex conjugate, or both. For real
/// matrices `conjugate` equals `none` and `conjugate_transpose` equals `transpose`.
enum class matrix_op { none, transpose, conjugate, conjugate_transpose };

/// Selects the triangle of a square matrix, with the diagonal, that is read or written; the other
/// is not.
enum class matrix_triangle { upper, lower };

/// Selects the diagonal of a triangular matrix: as stored, or ones that are not read.
enum class matrix_diagonal { stored, unit };

/// Selects the side of the product on which the square matrix stands.
enum class matrix_side { left, right };

}  // namespace papilio

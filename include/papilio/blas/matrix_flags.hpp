#pragma once

namespace papilio {

/// op(A) of a matrix operand: A, its transpose, its complex conjugate, or both. Of real matrices
/// `conjugate` is `none` and `conjugate_transpose` is `transpose`. A transpose may as well come
/// from the strides of the view.
enum class matrix_op { none, transpose, conjugate, conjugate_transpose };

/// The half of a square matrix that is read or written, the diagonal with it; never the other.
enum class matrix_triangle { upper, lower };

/// Whether the diagonal of a triangular matrix is what is stored, or ones that are not read.
enum class matrix_diagonal { stored, unit };

/// On which side of the other operand a square one stands.
enum class matrix_side { left, right };

}  // namespace papilio

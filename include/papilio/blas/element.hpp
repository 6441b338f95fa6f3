#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/triangle.hpp"

namespace papilio::blas_detail {

template <class T>
inline constexpr bool is_element =
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// Names the element type of a view or an array: float, double or their complex types.
template <class Operand>
using element_of = typename std::remove_cvref_t<Operand>::value_type;

/// Names a writable operand: a view or an array of `Rank` axes. The function's element type is that
/// of this operand; the other operands convert to views of it.
template <class Operand, std::size_t Rank>
concept output = requires { typename element_of<Operand>; } && is_element<element_of<Operand>> &&
                 std::is_convertible_v<Operand&&, view<element_of<Operand>, Rank>>;

}  // namespace papilio::blas_detail

namespace papilio {

/// Selects op(A) of a matrix operand: A, its transpose, its complex conjugate, or both. For real
/// matrices `conjugate` equals `none` and `conjugate_transpose` equals `transpose`.
enum class matrix_op { none, transpose, conjugate, conjugate_transpose };

/// Selects the diagonal of a triangular matrix: as stored, or ones that are not read.
enum class matrix_diagonal { stored, unit };

}  // namespace papilio

#pragma once

#include <concepts>
#include <type_traits>

#include "papilio/base/tensor.hpp"
#include "papilio/base/tensor_view.hpp"

namespace papilio::decompose_detail {

/// The element type of an array, a tensor or a view of either.
template <class X>
using element_of = typename std::remove_cvref_t<X>::value_type;

/// What decompositions take: arrays and views, of any strides, of float or double.
template <class X>
concept operand = requires { typename element_of<X>; } && std::floating_point<element_of<X>> &&
                  std::is_convertible_v<const X&, tensor_view<const element_of<X>>>;

}  // namespace papilio::decompose_detail

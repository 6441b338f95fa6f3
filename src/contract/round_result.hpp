#pragma once

#include "papilio/base/tensor.hpp"
#include "papilio/contract/expression.hpp"

namespace papilio::contract_detail {

/// Rounds every element, in place. The random number of an element is a function of the seed and of
/// its number in row-major order.
template <class T>
void round_result(const tensor_view<T>& out, const result_rounding& rounding);

}  // namespace papilio::contract_detail

#pragma once

#include <memory>
#include <span>

#include "contract/lowered_plan.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio::contract_detail {

/// Checks operands and output against the plan, lowers it anew for other strides, and runs it.
template <class T>
void execute_plan(const std::shared_ptr<const lowered_plan>& plan, const tensor_view<T>& out,
                  std::span<const tensor_view<const T>> operands, T alpha, T beta);

}  // namespace papilio::contract_detail

#pragma once

#include <memory>
#include <span>

#include "contract/lowered_plan.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio::contract_detail {

/// Checks operands and output against the plan, lowers it anew for other strides, and runs it; of
/// some slices only, `out` keeps the elements that none of them reaches.
template <class T>
void execute_plan(const std::shared_ptr<const lowered_plan>& plan, const tensor_view<T>& out,
                  std::span<const tensor_view<const T>> operands, T alpha, T beta,
                  slice_range slices = {});

}  // namespace papilio::contract_detail

#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "contract/lowered_plan.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio::contract_detail {

using einsum_subscripts = std::variant<std::string_view, const einsum_labels*>;

/// Throws shape_error unless an output has the extents of the result.
void require_extents(const char* function, std::span<const std::size_t> out,
                     std::span<const std::size_t> result);

/// Returns the plan for operands as they lie, from the cache or new. Without `out` the result is
/// row-major.
template <class T>
std::shared_ptr<const lowered_plan> planned(const char* function,
                                            const einsum_subscripts& subscripts,
                                            std::span<const tensor_view<const T>> operands,
                                            const tensor_view<T>* out,
                                            const einsum_options& options);

/// Returns the plan with operands and result of other strides, in the same order; it is not kept.
template <class T>
std::shared_ptr<const lowered_plan> planned_again(const lowered_plan& plan,
                                                  std::span<const tensor_view<const T>> operands,
                                                  const tensor_view<T>* out);

}  // namespace papilio::contract_detail

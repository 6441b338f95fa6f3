#pragma once

#include <memory>
#include <span>

#include "decompose/train_rest.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio::decompose_detail {

/// Where tt_svd with these bounds of the ranks runs; null: the host. All is reckoned as though the
/// tolerance cut nothing off. Errors as side_of's.
template <class T>
accelerator* train_side(const char* function, std::span<const std::size_t> extents,
                        std::span<const std::size_t> bounds, const execution& on);

/// The operand on that side: it goes up, once. `sum` counts what an accelerator runs.
template <class T>
std::unique_ptr<train_rest<T>> rest_on(const char* function, accelerator* device,
                                       const prepared_operand<T>& x, int threads, run_record& sum);

}  // namespace papilio::decompose_detail

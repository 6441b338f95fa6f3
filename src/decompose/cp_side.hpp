#pragma once

#include <memory>

#include "decompose/mode_products.hpp"
#include "decompose/prepared_operand.hpp"
#include "papilio/decompose/cp.hpp"
#include "papilio/dispatch/run_record.hpp"

namespace papilio::decompose_detail {

/// Where cp_als runs; null: the host. Errors as side_of's, and invalid_argument where a mask is to
/// be an accelerator's.
template <class T>
accelerator* cp_side(const char* function, std::span<const std::size_t> extents, std::size_t rank,
                     const cp_options<T>& options);

/// The products of that side; `sum` counts what an accelerator runs.
template <class T>
std::unique_ptr<mode_products<T>> products_on(const char* function, accelerator* device,
                                              const prepared_operand<T>& x, std::size_t rank,
                                              const cp_options<T>& options, run_record& sum);

}  // namespace papilio::decompose_detail

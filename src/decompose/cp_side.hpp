#pragma once

#include <memory>

#include "decompose/mode_array.hpp"
#include "decompose/mode_products.hpp"
#include "decompose/prepared_operand.hpp"
#include "papilio/decompose/cp.hpp"
#include "papilio/dispatch/device_program.hpp"

namespace papilio::decompose_detail {

/// Where cp_als runs; null: the host. Errors as side_of's, and invalid_argument where a mask is to
/// be an accelerator's.
template <class T>
accelerator* cp_side(const char* function, std::span<const std::size_t> extents, std::size_t rank,
                     const cp_options<T>& options);

/// An operand on that side, where it goes up once.
template <class T>
struct cp_operand {
  std::unique_ptr<mode_array<T>> values;
  std::unique_ptr<mode_products<T>> products;
};
/// `sum` counts what an accelerator runs; it and `x` must outlive the operand.
template <class T>
cp_operand<T> operand_on(const char* function, accelerator* device, const prepared_operand<T>& x,
                         std::size_t rank, const cp_options<T>& options, run_record& sum);

}  // namespace papilio::decompose_detail

#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/design.hpp"
#include "kernels/products/products.hpp"

namespace papilio::kernels::test {

/// What a kernel of a product was designed to be: gemm, its batched and complex forms, syrk.
inline kernels_detail::product_design product_of(const sized_kernel& kernel) {
  return *kernels_detail::design_as<kernels_detail::product_design>(kernel.design);
}
/// In how many parts its sums over k are made.
inline int parts_of_sums(const sized_kernel& kernel) {
  const kernels_detail::product_step_design how = product_of(kernel).how;
  std::int64_t parts = 1;
  for (const kernels_detail::block_loop& l : how.loops)
    if (std::ranges::find(how.k_axes, l.axis) != how.k_axes.end()) parts *= l.blocks();
  return int(parts);
}

}  // namespace papilio::kernels::test

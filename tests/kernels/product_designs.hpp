#pragma once

#include "kernels/design.hpp"
#include "kernels/products/products.hpp"

namespace papilio::kernels::test {

/// What a kernel of a product was designed to be: gemm, its batched and complex forms, syrk.
inline kernels_detail::product_design product_of(const sized_kernel& kernel) {
  return *kernels_detail::design_as<kernels_detail::product_design>(kernel.design);
}
inline kernels_detail::product_tiling tiling_of(const sized_kernel& kernel) {
  return product_of(kernel).tiling;
}

}  // namespace papilio::kernels::test

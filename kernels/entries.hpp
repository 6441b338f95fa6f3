#pragma once

#include "papilio/kernels/catalog.hpp"

// One function for each kernel of the catalog, defined beside the kernel.
namespace papilio::kernels_detail {

kernels::catalog_entry batched_gemm_entry();
kernels::catalog_entry complex_gemm_entry();
kernels::catalog_entry complex_linear_entry();
kernels::catalog_entry complex_mask_entry();
kernels::catalog_entry gemm_entry();
kernels::catalog_entry mp2_energy_entry();

}  // namespace papilio::kernels_detail

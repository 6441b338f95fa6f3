#pragma once

#include "papilio/kernels/catalog.hpp"

// One function for each kernel of the catalog, defined beside the kernel.
namespace papilio::kernels_detail {

kernels::catalog_entry gemm_entry();
kernels::catalog_entry mp2_energy_entry();
kernels::catalog_entry published_butterfly_stage_entry();
kernels::catalog_entry published_complex_gemm_entry();
kernels::catalog_entry published_complex_linear_entry();
kernels::catalog_entry published_complex_mask_entry();
kernels::catalog_entry published_stockham_stage_entry();

}  // namespace papilio::kernels_detail

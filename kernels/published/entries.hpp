#pragma once

#include "papilio/kernels/catalog.hpp"

// One function for each published kernel, defined beside the kernel.
namespace papilio::kernels_detail {

kernels::catalog_entry published_ao_to_mo_entry();
kernels::catalog_entry published_batched_gemm_slice_entry();
kernels::catalog_entry published_batched_product_entry();
kernels::catalog_entry published_bmm_entry();
kernels::catalog_entry published_butterfly_stage_entry();
kernels::catalog_entry published_complex_gemm_entry();
kernels::catalog_entry published_complex_linear_entry();
kernels::catalog_entry published_complex_mask_entry();
kernels::catalog_entry published_fused_mp2_entry();
kernels::catalog_entry published_gemm_entry();
kernels::catalog_entry published_ladder_entry();
kernels::catalog_entry published_mamba_entry();
kernels::catalog_entry published_matmul_entry();
kernels::catalog_entry published_mp2_energy_entry();
kernels::catalog_entry published_rmsnorm_product_entry();
kernels::catalog_entry published_rope_entry();
kernels::catalog_entry published_silu_entry();
kernels::catalog_entry published_stockham_stage_entry();
kernels::catalog_entry published_transposed_product_entry();

}  // namespace papilio::kernels_detail

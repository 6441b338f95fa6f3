#pragma once

#include <vector>

#include "papilio/kernels/catalog.hpp"

// One function for each kernel of the catalog, or for some of a kind, defined beside the kernel.
namespace papilio::kernels_detail {

kernels::catalog_entry adam_entry();
kernels::catalog_entry ao_to_mo_entry();
kernels::catalog_entry batched_gemm_entry();
kernels::catalog_entry butterfly_fft_entry();
kernels::catalog_entry complex_gemm_entry();
kernels::catalog_entry complex_linear_entry();
kernels::catalog_entry complex_mask_entry();
kernels::catalog_entry contraction_entry();
kernels::catalog_entry dft_entry();
kernels::catalog_entry fft_entry();
kernels::catalog_entry fftn_entry();
kernels::catalog_entry gemm_entry();
kernels::catalog_entry irfft_entry();
kernels::catalog_entry irfftn_vjp_entry();
kernels::catalog_entry istft_entry();
kernels::catalog_entry istft_vjp_entry();
std::vector<kernels::catalog_entry> layer_entries();
kernels::catalog_entry mp2_energy_entry();
kernels::catalog_entry mp2_gradient_entry();
kernels::catalog_entry rearrange_entry();
kernels::catalog_entry rfft_entry();
kernels::catalog_entry rfftn_vjp_entry();
kernels::catalog_entry stft_entry();
kernels::catalog_entry symm_entry();
kernels::catalog_entry syrk_entry();
kernels::catalog_entry training_step_entry();
kernels::catalog_entry trmm_entry();
kernels::catalog_entry trsm_entry();
kernels::catalog_entry vector_entry();

}  // namespace papilio::kernels_detail

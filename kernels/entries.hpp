#pragma once

#include "papilio/kernels/catalog.hpp"

// One function for each kernel of the catalog, defined beside the kernel.
namespace papilio::kernels_detail {

kernels::catalog_entry gemm_entry();
kernels::catalog_entry istft_entry();
kernels::catalog_entry mp2_energy_entry();
kernels::catalog_entry stft_entry();

}  // namespace papilio::kernels_detail

#include "kernels/published/catalog.hpp"

#include <vector>

#include "kernels/published/entries.hpp"

namespace papilio::kernels::published {
namespace {

std::vector<catalog_entry> all_entries() {
  std::vector<catalog_entry> all(catalog().begin(), catalog().end());
  for (const auto entry :
       {kernels_detail::published_ao_to_mo_entry,
        kernels_detail::published_batched_gemm_slice_entry,
        kernels_detail::published_batched_product_entry, kernels_detail::published_bmm_entry,
        kernels_detail::published_butterfly_stage_entry,
        kernels_detail::published_complex_gemm_entry,
        kernels_detail::published_complex_linear_entry,
        kernels_detail::published_complex_mask_entry, kernels_detail::published_fused_mp2_entry,
        kernels_detail::published_gemm_entry, kernels_detail::published_ladder_entry,
        kernels_detail::published_mamba_entry, kernels_detail::published_matmul_entry,
        kernels_detail::published_mp2_energy_entry, kernels_detail::published_rmsnorm_product_entry,
        kernels_detail::published_rope_entry, kernels_detail::published_silu_entry,
        kernels_detail::published_stockham_stage_entry,
        kernels_detail::published_transposed_product_entry})
    all.push_back(entry());
  return all;
}

}  // namespace

std::span<const catalog_entry> whole_catalog() {
  static const std::vector<catalog_entry> all = all_entries();
  return all;
}

const catalog_entry& find_any(std::string_view name) { return find_kernel(name, whole_catalog()); }

}  // namespace papilio::kernels::published

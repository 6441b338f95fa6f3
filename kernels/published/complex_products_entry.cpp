// The catalog's entries of the published complex products.
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "papilio/kernels/published.hpp"

namespace papilio::kernels_detail {

using kernels::size_of;
namespace published = kernels::published;

kernels::catalog_entry published_complex_gemm_entry() {
  return {.name = "published/complex_gemm",
          .summary = "trnfft's complex GEMM, four products; with k = n a DFT of m lines",
          .parameters = {{.name = "m", .preset = "1024", .help = "Rows of A and C"},
                         {.name = "k", .preset = "1024", .help = "Columns of A, rows of B"},
                         {.name = "n", .preset = "1024", .help = "Columns of B and C"},
                         choice_parameter("dtype", "Type of A and B; C is fp32", {"fp32", "bf16"})},
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return published::complex_gemm_kernel({.m = size_of(values, "m"),
                                                   .k = size_of(values, "k"),
                                                   .n = size_of(values, "n"),
                                                   .is_complex = true},
                                                  machine, engine::parse_dtype(values.at("dtype")));
          }};
}

kernels::catalog_entry published_complex_linear_entry() {
  return {.name = "published/complex_linear",
          .summary = "trnfft's complex linear layer, X W^T",
          .parameters = {{.name = "batch", .preset = "512", .help = "Rows of X"},
                         {.name = "inputs", .preset = "512", .help = "Columns of X and W"},
                         {.name = "outputs", .preset = "1024", .help = "Rows of W"}},
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return published::complex_linear_kernel({.m = size_of(values, "batch"),
                                                     .k = size_of(values, "inputs"),
                                                     .n = size_of(values, "outputs"),
                                                     .is_complex = true},
                                                    machine);
          }};
}

kernels::catalog_entry published_complex_mask_entry() {
  return {.name = "published/complex_mask",
          .summary = "trnfft's complex mask, element by element",
          .parameters = {{.name = "elements", .preset = "524288", .help = "Complex products"}},
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return published::complex_mask_kernel({.count = size_of(values, "elements")}, machine);
          }};
}

}  // namespace papilio::kernels_detail

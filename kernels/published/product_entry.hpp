#pragma once

#include <string>
#include <vector>

#include "kernels/published/designs.hpp"
#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/published.hpp"

// What the catalog's published products have in common.
namespace papilio::kernels_detail {

/// published::gemm under a name, on padded operands.
kernels::sized_kernel product_kernel(const std::string& name, const gemm_problem& problem,
                                     const engine::machine_spec& machine);
published_product published_product_of(const gemm_problem& problem,
                                       const engine::machine_spec& machine);

/// m, k and n.
std::vector<kernels::kernel_parameter> product_parameters(const char* preset);
gemm_problem product_of(const kernels::parameter_values& values);

}  // namespace papilio::kernels_detail

#pragma once

#include <cstdint>
#include <vector>

#include "kernels/products.hpp"
#include "papilio/kernels/catalog.hpp"

// Products of planar complex matrices of which each has three or four real ones.
namespace papilio::kernels_detail {

/// In A [2, m, k], B [2, k, n] (or [2, n, k] if right_transposed) and a bias [2, n] if there is
/// one; out C [2, m, n]. The problem's form is that of so many products. invalid_argument, in the
/// name of the kernel, for another number of products and types of no floating point.
kernels::sized_kernel complex_product_kernel(const char* name, int products, matrix_product problem,
                                             const engine::machine_spec& machine);

/// The sizes, then how many products, and the dtype.
std::vector<kernels::kernel_parameter> complex_product_parameters(
    std::vector<kernels::kernel_parameter> sizes, const char* dtype_help);

}  // namespace papilio::kernels_detail

#pragma once

#include <string>
#include <vector>

#include "kernels/products/products.hpp"
#include "papilio/kernels/catalog.hpp"

// Epilogues as parameters of the catalog, and as text.
namespace papilio::kernels_detail {

/// A factor, 1 or 0 where nothing is said.
kernels::kernel_parameter factor_parameter(const char* name, const char* preset, const char* help);
kernels::kernel_parameter product_dtype_parameter(const char* help);
std::vector<kernels::kernel_parameter> gemm_parameters();
kernels::product_epilogue epilogue_of(const kernels::parameter_values& values);

/// A line of text; none where there is no epilogue.
std::string epilogue_text(const matrix_product& problem);
/// Whether the product's expected error is the result's: of no sums, and of functions that keep it.
bool has_stated_error(const matrix_product& problem);

}  // namespace papilio::kernels_detail

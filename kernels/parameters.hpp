#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/internal.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/kernels/catalog.hpp"

// Parameters that several kernels of the catalog have, and what their values say.
namespace papilio::kernels_detail {

/// These and more.
PAPILIO_INTERNAL std::vector<kernels::kernel_parameter> joined(
    std::vector<kernels::kernel_parameter> these,
    const std::vector<kernels::kernel_parameter>& more);
/// One of some words; the first where nothing is said.
PAPILIO_INTERNAL kernels::kernel_parameter choice_parameter(const char* name,
                                                            const std::string& help,
                                                            std::vector<std::string> choices);
/// A factor, 1 or 0 where nothing is said.
kernels::kernel_parameter factor_parameter(const char* name, const char* preset, const char* help);
kernels::kernel_parameter product_dtype_parameter(const char* help);
/// m, k and n of a product.
PAPILIO_INTERNAL std::vector<kernels::kernel_parameter> product_sizes(const char* preset);

PAPILIO_INTERNAL gemm_problem product_of(const kernels::parameter_values& values);
float float_of(const kernels::parameter_values& values, const char* name);
/// The mode of products that "precision" names, one of native, bf16, bf16_refined and split_bf16.
precision precision_of(const kernels::parameter_values& values);
bool is_yes(const kernels::parameter_values& values, const char* name);

/// The value that a choice names.
template <class Value>
Value chosen(const kernels::parameter_values& values, const char* name,
             std::initializer_list<std::pair<const char*, Value>> named) {
  const std::string& word = values.find(name)->second;
  for (const auto& [one, value] : named)
    if (word == one) return value;
  return named.begin()->second;
}

}  // namespace papilio::kernels_detail

#include "kernels/parameters.hpp"

namespace papilio::kernels_detail {

using kernels::kernel_parameter;
using kernels::parameter_values;

std::vector<kernel_parameter> joined(std::vector<kernel_parameter> these,
                                     const std::vector<kernel_parameter>& more) {
  these.insert(these.end(), more.begin(), more.end());
  return these;
}

kernel_parameter choice_parameter(const char* name, const std::string& help,
                                  std::vector<std::string> choices) {
  const std::string first = choices.front();
  return {.name = name, .preset = first, .help = help, .choices = std::move(choices)};
}

kernel_parameter factor_parameter(const char* name, const char* preset, const char* help) {
  return {.name = name, .preset = preset, .help = help, .least = -(1 << 30), .decimal = true};
}

kernel_parameter product_dtype_parameter(const char* help) {
  return choice_parameter("dtype", help, {"fp32", "bf16", "fp16", "tf32", "fp8_e4m3", "fp8_e5m2"});
}

std::vector<kernel_parameter> product_sizes(const char* preset) {
  return {{.name = "m", .preset = preset, .help = "Rows of A and C"},
          {.name = "k", .preset = preset, .help = "Columns of A, rows of B"},
          {.name = "n", .preset = preset, .help = "Columns of B and C"}};
}

gemm_problem product_of(const parameter_values& values) {
  return {.m = kernels::size_of(values, "m"),
          .k = kernels::size_of(values, "k"),
          .n = kernels::size_of(values, "n")};
}

float float_of(const parameter_values& values, const char* name) {
  return float(kernels::decimal_of(values, name));
}

precision precision_of(const parameter_values& values) {
  return chosen<precision>(values, "precision",
                           {{"native", precision::native},
                            {"bf16", precision::bf16},
                            {"bf16_refined", precision::bf16_refined},
                            {"split_bf16", precision::split_bf16}});
}

bool is_yes(const parameter_values& values, const char* name) {
  return values.find(name)->second == "yes";
}

}  // namespace papilio::kernels_detail

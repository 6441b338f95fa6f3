#include "kernels/products/product_entry.hpp"

#include <algorithm>
#include <array>

#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using base_detail::message;
using kernels::kernel_parameter;
using kernels::product_sums;

constexpr std::array functions{
    activation_function::copy,  activation_function::square,     activation_function::sqrt,
    activation_function::rsqrt, activation_function::reciprocal, activation_function::exp,
    activation_function::log,   activation_function::sin,        activation_function::arctan,
    activation_function::tanh,  activation_function::sigmoid,    activation_function::relu,
    activation_function::gelu,  activation_function::silu,       activation_function::softplus,
    activation_function::mish,  activation_function::erf,        activation_function::sign,
    activation_function::abs};

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const activation_function f : functions) names.emplace_back(to_string(f));
  return names;
}

}  // namespace

kernel_parameter factor_parameter(const char* name, const char* preset, const char* help) {
  return {.name = name, .preset = preset, .help = help, .least = -(1 << 30), .decimal = true};
}

kernel_parameter product_dtype_parameter(const char* help) {
  return {.name = "dtype",
          .preset = "fp32",
          .help = help,
          .choices = {"fp32", "bf16", "fp16", "tf32", "fp8_e4m3", "fp8_e5m2"}};
}

std::vector<kernel_parameter> gemm_parameters() {
  const std::vector<std::string> ways{"plain", "transposed"};
  return {{.name = "m", .preset = "1024", .help = "Rows of A and C"},
          {.name = "k", .preset = "1024", .help = "Columns of A, rows of B"},
          {.name = "n", .preset = "1024", .help = "Columns of B and C"},
          product_dtype_parameter("Type of A and B; C is fp32"),
          {.name = "left", .preset = "plain", .help = "Storage of A", .choices = ways},
          {.name = "right", .preset = "plain", .help = "Storage of B", .choices = ways},
          factor_parameter("alpha", "1", "Factor of A B"),
          factor_parameter("beta", "0", "Factor of C0; 0: there is none"),
          {.name = "bias", .preset = "no", .help = "A row that is added", .choices = {"no", "yes"}},
          {.name = "function",
           .preset = "copy",
           .help = "Function of the values that are stored or summed",
           .choices = function_names()},
          {.name = "sums",
           .preset = "none",
           .help = "Sums that are stored instead of C",
           .choices = {"none", "rows", "whole"}}};
}

kernels::product_epilogue epilogue_of(const kernels::parameter_values& values) {
  kernels::product_epilogue e{.alpha = float(kernels::decimal_of(values, "alpha")),
                              .beta = float(kernels::decimal_of(values, "beta")),
                              .bias = values.at("bias") == "yes"};
  const std::string &function = values.at("function"), &sums = values.at("sums");
  e.function = *std::ranges::find_if(
      functions, [&](activation_function f) { return function == engine::to_string(f); });
  e.sums = sums == "none"   ? product_sums::none
           : sums == "rows" ? product_sums::rows
                            : product_sums::whole;
  return e;
}

std::string epilogue_text(const matrix_product& p) {
  const kernels::product_epilogue& e = p.epilogue;
  if (e.is_plain() && !p.biased) return {};
  const std::string scaled = e.alpha == 1 ? std::string("A B") : message(e.alpha, " A B");
  const std::string before = e.beta == 0 ? std::string() : message(" + ", e.beta, " C0");
  const std::string values = message(scaled, before, p.biased ? " + bias" : "");
  const bool has_function = e.function != activation_function::copy;
  const std::string whole =
      has_function ? message(engine::to_string(e.function), "(", values, ")") : values;
  const char* const sums = e.sums == product_sums::none   ? ""
                           : e.sums == product_sums::rows ? ", summed by rows"
                                                          : ", summed whole";
  return message("epilogue: ", whole, sums, ", on the way out of PSUM\n");
}

bool has_stated_error(const matrix_product& p) {
  using enum activation_function;
  const activation_function f = p.epilogue.function;
  return p.epilogue.sums == product_sums::none && (f == copy || f == relu || f == abs);
}

}  // namespace papilio::kernels_detail

// Designs and parameters of precision modes, and the cheapest mode that meets a target error.
#include "kernels/transform/precision.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/choice.hpp"
#include "kernels/transform/fft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::message;
using engine::machine_spec;
using kernels::fft_kernel_options;
using kernels::sized_kernel;

}  // namespace

std::string fft_design::describe() const {
  std::string text = message("precision: ",
                             kernels_detail::describe(precision_options{
                                 .mode = mode, .refinements = refinements, .parts = parts}),
                             "\n", forward.explain());
  for (std::size_t i = 0; i < inverses.size(); ++i)
    text += message("inverse for residual ", i + 1, ": ", inverses[i].explain());
  return text;
}

fft_design fft_design::without_batch() const {
  fft_design one = *this;
  one.forward = forward.without_batch();
  for (kernels::kernel_design& inverse : one.inverses) inverse = inverse.without_batch();
  return one;
}

sized_kernel empty_fft(const fft_problem& problem) {
  sized_kernel sized;
  engine::tensor_shape numbers{extents_of(problem)}, planes = numbers;
  planes.extents.insert(planes.extents.begin(), 2);
  sized.ranges = {{}};
  sized.program.name = "fft";
  sized.inputs = sized.outputs = {planes};
  if (problem.is_complex()) return sized;
  const bool inverse = problem.is_inverse();
  (inverse ? sized.inputs : sized.outputs)[0].extents[problem.axes.back() + 1] =
      real_lines_of(problem).bins();
  (inverse ? sized.outputs : sized.inputs) = {numbers};
  sized.program.name = inverse ? "irfft" : "rfft";
  return sized;
}

fft_recipe recipe_of(const fft_problem& problem, const fft_kernel_options& options,
                     const machine_spec& machine) {
  return (problem.is_complex() ? design_fft : design_real_fft)(problem, options, machine);
}

chosen_mode cheapest_fft(const fft_problem& problem, const fft_kernel_options& of_all,
                         const machine_spec& machine) {
  constexpr precision_options modes[] = {{.mode = precision::native},
                                         {.mode = precision::bf16},
                                         {.mode = precision::bf16_refined, .refinements = 1},
                                         {.mode = precision::bf16_refined, .refinements = 2},
                                         {.mode = precision::split_bf16, .parts = 2},
                                         {.mode = precision::split_bf16, .parts = 3},
                                         {.mode = precision::compensated}};
  const auto kernel_in = [&](const precision_options& mode) {
    fft_kernel_options options = of_all;
    options.precision = mode;
    return kernels::fft_kernel(problem, machine, options);
  };
  return cheapest_mode("fft_kernel", of_all.precision.target_error, modes, kernel_in, machine);
}

namespace {

settings<precision_options> parts_and_target() {
  using r = precision_options;
  return {number_setting("parts", &r::parts, "2", "Parts of split_bf16, 2 or 3"),
          decimal_setting("target_error", &r::target_error, "0",
                          "Above 0: the fastest precision expected to meet it", 0)};
}

constexpr const char* mode_help = "Precision of the products";

}  // namespace

settings<precision_options> precision_settings() {
  using enum precision;
  using r = precision_options;
  return settings<r>{
      mode_setting(&r::mode, mode_help, {native, bf16, bf16_refined, split_bf16, compensated}),
      number_setting("refinements", &r::refinements, "1", "Refinements of bf16_refined, 1 or 2")}
      .with(parts_and_target());
}

settings<precision_options> product_precision_settings() {
  using enum precision;
  return settings<precision_options>{
      mode_setting(&precision_options::mode, mode_help, {native, bf16, split_bf16})}
      .with(parts_and_target());
}

}  // namespace papilio::kernels_detail

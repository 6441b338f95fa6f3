// Layers of complex networks and what trains them, forward and backward: formulas of
// kernels/elementwise/formulas.cpp as the kernels of layer_problem, and in the catalog.
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/elementwise/formulas.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "kernels/stage_list.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/kernels/elementwise.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::catalog_entry;
using kernels::kernel_parameter;
using kernels::parameter_values;
using kernels::sized_kernel;

namespace {

// So many roundings on an element's way through a formula.
double roundings(double count) { return square_root(count * rounding_squared_error()); }

struct rows_and_features {
  std::int64_t rows, features;
};

// Moments of x itself take two passes before the one that uses them, and a gradient one more.
sized_kernel batch_norm(const rows_and_features& of, float epsilon, bool is_running, bool is_vjp,
                        const machine_spec& machine) {
  constexpr const char* name = "complex_batch_norm";
  const auto [rows, features] = of;
  const normalization_of by{is_running ? 1 : rows, epsilon};
  require(by.epsilon > 0, name, ": epsilon must be above 0, got ", by.epsilon);
  const tensor_shape x{{2, rows, features}}, number{{2, features}}, matrix{{3, features}};
  for (const tensor_shape& shape : {x, matrix}) shape.bytes();
  stage_list list(name);
  const auto stage = [&](const char* what, pointwise_program program, double error,
                         std::vector<stage_tensor> in, std::vector<stage_tensor> out) {
    list.add(
        what,
        pointwise_kernel(what, of.rows, of.features, std::move(program), roundings(error), machine),
        std::move(in), std::move(out));
  };
  const stage_tensor in = list.input(x);
  const stage_tensor sums = is_running ? list.input(number) : list.between(2 * features),
                     products =
                         is_running ? list.input(matrix, {0, 1}) : list.between(3 * features);
  if (!is_running) {
    stage("mean", mean_sums(), 20, {in}, {sums});
    stage("covariance", central_sums(rows), 20, {in, sums}, {products});
  }
  const stage_tensor gamma = list.input(matrix), last = list.input(is_vjp ? x : number);
  if (is_vjp) {
    const stage_tensor by_x = list.output(x), by_gamma = list.output(matrix),
                       by_beta = list.output(number), outer = list.between(4 * features);
    stage("sums", normalised_vjp_sums(by), 20, {in, sums, last}, {outer, by_beta});
    stage("gradients", normalised_vjp(by, !is_running), 40,
          {in, sums, products, gamma, last, outer, by_beta}, {by_x, by_gamma});
  } else {
    stage("normalise", normalised(by), 20, {in, sums, products, gamma, last}, {list.output(x)});
  }
  return list.kernel(machine);
}

std::vector<kernel_parameter> rows_of_features(std::vector<kernel_parameter> more) {
  return kernels_detail::joined(
      std::move(more), {{.name = "rows", .preset = "1024", .help = "Rows of numbers"},
                        {.name = "features", .preset = "512", .help = "Numbers of a row"}});
}

sized_kernel sized(layer_function function, const parameter_values& values,
                   const machine_spec& machine, double epsilon = 0) {
  return kernels::layer_kernel({.function = function,
                                .rows = kernels::size_of(values, "rows"),
                                .features = kernels::size_of(values, "features"),
                                .epsilon = epsilon},
                               machine);
}

bool is_vjp(const parameter_values& values) { return values.at("form") == "vjp"; }

kernel_parameter form_parameter() {
  return choice_parameter("form", "The layer, or its gradients", {"forward", "vjp"});
}

}  // namespace

catalog_entry complex_relu_entry() {
  return {.name = "complex_relu",
          .summary = "CReLU or zReLU of planar complex numbers, or its gradient",
          .parameters = rows_of_features(
              {choice_parameter("kind", "Both parts rectified, or the first quadrant",
                                {"crelu", "zrelu"}),
               form_parameter()}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            const bool is_crelu = values.at("kind") == "crelu";
            return sized(is_vjp(values)
                             ? is_crelu ? layer_function::crelu_vjp : layer_function::zrelu_vjp
                         : is_crelu ? layer_function::crelu
                                    : layer_function::zrelu,
                         values, machine);
          }};
}

catalog_entry complex_modrelu_vjp_entry() {
  return {.name = "complex_modrelu_vjp",
          .summary = "Gradients of complex_modrelu by the numbers and by the bias",
          .parameters = rows_of_features({}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            return sized(layer_function::modrelu_vjp, values, machine);
          }};
}

catalog_entry real_mask_entry() {
  return {.name = "real_mask",
          .summary = "mask * spectrum, element by element, of a real mask",
          .parameters = rows_of_features({}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            return sized(layer_function::real_mask, values, machine);
          }};
}

catalog_entry complex_mask_vjp_entry() {
  return {.name = "complex_mask_vjp",
          .summary = "Gradients of mask * spectrum by the spectrum and by the mask",
          .parameters = rows_of_features(
              {choice_parameter("mask", "Numbers of the mask", {"complex", "real"})}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            return sized(values.at("mask") == "complex" ? layer_function::complex_mask_vjp
                                                        : layer_function::real_mask_vjp,
                         values, machine);
          }};
}

catalog_entry magnitude_vjp_entry() {
  return {.name = "magnitude_vjp",
          .summary = "Gradient of magnitudes or powers by the spectrum",
          .parameters =
              rows_of_features({choice_parameter("of", "What is taken", {"magnitude", "power"})}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            return sized(values.at("of") == "magnitude" ? layer_function::magnitude_vjp
                                                        : layer_function::power_vjp,
                         values, machine);
          }};
}

catalog_entry complex_batch_norm_entry() {
  return {
      .name = "complex_batch_norm",
      .summary = "Whitening of complex features over rows, times gamma plus beta, or its gradients",
      .parameters = rows_of_features(
          {choice_parameter("moments", "Of the batch itself, or given", {"batch", "running"}),
           form_parameter(), factor_parameter("epsilon", "1e-5", "Added to both variances")}),
      .size = [](const parameter_values& values, const machine_spec& machine) {
        const bool is_batch = values.at("moments") == "batch";
        return sized(is_vjp(values) ? is_batch ? layer_function::batch_norm_vjp
                                               : layer_function::running_norm_vjp
                     : is_batch     ? layer_function::batch_norm
                                    : layer_function::running_norm,
                     values, machine, double(float_of(values, "epsilon")));
      }};
}

catalog_entry adam_entry() {
  return {.name = "adam",
          .summary = "A step of Adam: parameters, gradient, mean, square and rate to the new ones",
          .parameters = {{.name = "n", .preset = "65536", .help = "Real parameters"}},
          .size = [](const parameter_values& values, const machine_spec& machine) {
            sized_kernel kernel = pointwise_kernel("adam", 1, kernels::number_of(values, "n"),
                                                   adam(), roundings(8), machine);
            kernel.ranges[3] = {0, 1};
            return kernel;
          }};
}

}  // namespace papilio::kernels_detail

namespace papilio::kernels {

using namespace kernels_detail;

sized_kernel layer_kernel(const layer_problem& p, const engine::machine_spec& machine) {
  constexpr const char* name = "layer_kernel";
  require_single(name, p.type);
  const rows_and_features of{checked_size(name, "rows", p.rows),
                             checked_size(name, "features", p.features)};
  const auto formula = [&](const char* called, pointwise_program program, double error) {
    return pointwise_kernel(called, of.rows, of.features, std::move(program), error, machine);
  };
  const auto norm = [&](bool is_running, bool is_vjp) {
    return batch_norm(of, float(p.epsilon), is_running, is_vjp, machine);
  };
  switch (p.function) {
    case layer_function::crelu:
      return formula("complex_relu", rectified(rectifier::crelu), 0);
    case layer_function::crelu_vjp:
      return formula("complex_relu", rectified_vjp(rectifier::crelu), 0);
    case layer_function::zrelu:
      return formula("complex_relu", rectified(rectifier::zrelu), 0);
    case layer_function::zrelu_vjp:
      return formula("complex_relu", rectified_vjp(rectifier::zrelu), 0);
    case layer_function::modrelu:
      return modrelu_kernel(of.rows, of.features, machine);
    case layer_function::modrelu_vjp:
      return formula("complex_modrelu_vjp", modrelu_vjp(), roundings(20));
    case layer_function::real_mask:
      return formula("real_mask", real_mask(), roundings(1));
    case layer_function::real_mask_vjp:
      return formula("complex_mask_vjp", mask_vjp(false), roundings(2));
    case layer_function::complex_mask_vjp:
      return formula("complex_mask_vjp", mask_vjp(true), roundings(2));
    case layer_function::magnitude:
      return formula("magnitude", magnitude(), roundings(8));
    case layer_function::magnitude_vjp:
      return formula("magnitude_vjp", magnitude_vjp(), roundings(8));
    case layer_function::power:
      return formula("magnitude", power(), roundings(2));
    case layer_function::power_vjp:
      return formula("magnitude_vjp", power_vjp(), roundings(1));
    case layer_function::bias:
      return formula("complex_bias", biased(), roundings(1));
    case layer_function::batch_norm:
      return norm(false, false);
    case layer_function::batch_norm_vjp:
      return norm(false, true);
    case layer_function::running_norm:
      return norm(true, false);
    case layer_function::running_norm_vjp:
      return norm(true, true);
  }
  throw invalid_argument("layer_kernel: the function is none of layer_function's");
}

}  // namespace papilio::kernels

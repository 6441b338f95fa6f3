// Layers of complex networks and what trains them, forward and backward: formulas of
// kernels/elementwise/formulas.cpp as kernels of the catalog.
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/elementwise/formulas.hpp"
#include "kernels/entries.hpp"
#include "kernels/fft/error_model.hpp"
#include "kernels/parameters.hpp"
#include "kernels/stage_list.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::catalog_entry;
using kernels::kernel_parameter;
using kernels::parameter_values;
using kernels::sized_kernel;

namespace {

// So many roundings on an element's way through a formula.
double roundings(double count) { return square_root(count * rounding_squared_error()); }

std::vector<kernel_parameter> rows_of_features(std::vector<kernel_parameter> more) {
  return kernels_detail::joined(
      std::move(more), {{.name = "rows", .preset = "1024", .help = "Rows of numbers"},
                        {.name = "features", .preset = "512", .help = "Numbers of a row"}});
}

sized_kernel sized(const char* name, const parameter_values& values, pointwise_program program,
                   double error, const machine_spec& machine) {
  return pointwise_kernel(name, kernels::number_of(values, "rows"),
                          kernels::number_of(values, "features"), std::move(program), error,
                          machine);
}

kernel_parameter form_parameter() {
  return choice_parameter("form", "The layer, or its gradients", {"forward", "vjp"});
}

// Moments of x itself take two passes before the one that uses them, and a gradient one more.
sized_kernel batch_norm(const parameter_values& values, const machine_spec& machine) {
  constexpr const char* name = "complex_batch_norm";
  const std::int64_t rows = kernels::number_of(values, "rows"),
                     features = kernels::number_of(values, "features");
  const bool is_running = values.at("moments") == "running", is_vjp = values.at("form") == "vjp";
  const normalization_of by{is_running ? 1 : rows, float_of(values, "epsilon")};
  require(by.epsilon > 0, name, ": epsilon must be above 0, got ", by.epsilon);
  const tensor_shape x{{2, rows, features}}, number{{2, features}}, matrix{{3, features}};
  for (const tensor_shape& shape : {x, matrix}) shape.bytes();
  stage_list list(name);
  const auto stage = [&](const char* of, pointwise_program program, double error,
                         std::vector<stage_tensor> in, std::vector<stage_tensor> out) {
    list.add(of,
             pointwise_kernel(of, rows, features, std::move(program), roundings(error), machine),
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

}  // namespace

catalog_entry complex_relu_entry() {
  return {
      .name = "complex_relu",
      .summary = "CReLU or zReLU of planar complex numbers, or its gradient",
      .parameters =
          rows_of_features({choice_parameter("kind", "Both parts rectified, or the first quadrant",
                                             {"crelu", "zrelu"}),
                            form_parameter()}),
      .size = [](const parameter_values& values, const machine_spec& machine) {
        const rectifier kind = values.at("kind") == "crelu" ? rectifier::crelu : rectifier::zrelu;
        return sized("complex_relu", values,
                     values.at("form") == "vjp" ? rectified_vjp(kind) : rectified(kind), 0,
                     machine);
      }};
}

catalog_entry complex_modrelu_vjp_entry() {
  return {.name = "complex_modrelu_vjp",
          .summary = "Gradients of complex_modrelu by the numbers and by the bias",
          .parameters = rows_of_features({}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            return sized("complex_modrelu_vjp", values, modrelu_vjp(), roundings(20), machine);
          }};
}

catalog_entry complex_mask_vjp_entry() {
  return {.name = "complex_mask_vjp",
          .summary = "Gradients of mask * spectrum by the spectrum and by the mask",
          .parameters = rows_of_features(
              {choice_parameter("mask", "Numbers of the mask", {"complex", "real"})}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            return sized("complex_mask_vjp", values, mask_vjp(values.at("mask") == "complex"),
                         roundings(2), machine);
          }};
}

catalog_entry magnitude_vjp_entry() {
  return {.name = "magnitude_vjp",
          .summary = "Gradient of magnitudes or powers by the spectrum",
          .parameters =
              rows_of_features({choice_parameter("of", "What is taken", {"magnitude", "power"})}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            const bool is_magnitude = values.at("of") == "magnitude";
            return sized("magnitude_vjp", values, is_magnitude ? magnitude_vjp() : power_vjp(),
                         roundings(is_magnitude ? 8 : 1), machine);
          }};
}

catalog_entry complex_batch_norm_entry() {
  return {
      .name = "complex_batch_norm",
      .summary = "Whitening of complex features over rows, times gamma plus beta, or its gradients",
      .parameters = rows_of_features(
          {choice_parameter("moments", "Of the batch itself, or given", {"batch", "running"}),
           form_parameter(), factor_parameter("epsilon", "1e-5", "Added to both variances")}),
      .size = batch_norm};
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

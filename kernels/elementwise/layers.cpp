// Layers of complex networks and what trains them, forward and backward: formulas of
// kernels/elementwise/formulas.cpp as the kernels of layer_problem, and in the catalog.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/elementwise/formulas.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "kernels/stage_list.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/elementwise.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::catalog_entry;
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

struct layer_request : layer_problem {
  std::optional<layer_function> chosen = {};
  bool is_vjp = false;
};

layer_function gradient_of(layer_function function) {
  const std::string name = to_string(function) + std::string("_vjp");
  const std::vector<layer_function> all = layer_functions();
  return *std::ranges::find(all, name, [](layer_function f) { return to_string(f); });
}

// Makes the entry of one function, or of the one that its own settings choose.
catalog_entry layer_entry(const char* name, const char* summary, layer_function function,
                          std::initializer_list<setting<layer_request>> own = {}) {
  using r = layer_request;
  return settings<r>(own)
      .with({number_setting("rows", &r::rows, "1024", "Rows of numbers"),
             number_setting("features", &r::features, "512", "Numbers of a row")})
      .entry(name, summary, [function](r request, const machine_spec& machine) {
        request.function = request.chosen.value_or(function);
        if (request.is_vjp) request.function = gradient_of(request.function);
        return kernels::layer_kernel(request, machine);
      });
}

}  // namespace

std::vector<catalog_entry> layer_entries() {
  using enum layer_function;
  using r = layer_request;
  const setting<r> form = choice_setting("form", &r::is_vjp, "The layer, or its gradients",
                                         {{"forward", false}, {"vjp", true}});
  return {
      layer_entry("complex_relu", "CReLU or zReLU of planar complex numbers, or its gradient",
                  crelu,
                  {choice_setting("kind", &r::chosen, "Both parts rectified, or the first quadrant",
                                  {{"crelu", crelu}, {"zrelu", zrelu}}),
                   form}),
      layer_entry("complex_modrelu",
                  "max(|z| + b, 0) z / |z| of planar complex numbers, a b for each feature",
                  modrelu),
      layer_entry("complex_modrelu_vjp",
                  "Gradients of complex_modrelu by the numbers and by the bias", modrelu_vjp),
      layer_entry("real_mask", "mask * spectrum, element by element, of a real mask", real_mask),
      layer_entry("complex_mask_vjp",
                  "Gradients of mask * spectrum by the spectrum and by the mask", complex_mask_vjp,
                  {choice_setting("mask", &r::chosen, "Numbers of the mask",
                                  {{"complex", complex_mask_vjp}, {"real", real_mask_vjp}})}),
      layer_entry("magnitude_vjp", "Gradient of magnitudes or powers by the spectrum",
                  magnitude_vjp,
                  {choice_setting("of", &r::chosen, "What is taken",
                                  {{"magnitude", magnitude_vjp}, {"power", power_vjp}})}),
      layer_entry(
          "complex_batch_norm",
          "Whitening of complex features over rows, times gamma plus beta, or its gradients",
          batch_norm,
          {choice_setting("moments", &r::chosen, "Of the batch itself, or given",
                          {{"batch", batch_norm}, {"running", running_norm}}),
           form, factor_setting("epsilon", &r::epsilon, "1e-5", "Added to both variances")}),
  };
}

catalog_entry adam_entry() {
  struct adam_request {
    std::int64_t n = 1;
  };
  return settings<adam_request>{number_setting("n", &adam_request::n, "65536", "Real parameters")}
      .entry("adam", "A step of Adam: parameters, gradient, mean, square and rate to the new ones",
             [](const adam_request& of, const machine_spec& machine) {
               sized_kernel kernel =
                   pointwise_kernel("adam", 1, of.n, adam(), roundings(8), machine);
               kernel.ranges[3] = {0, 1};
               return kernel;
             });
}

}  // namespace papilio::kernels_detail

namespace papilio::kernels {

using namespace kernels_detail;

sized_kernel layer_kernel(const layer_problem& p, const engine::machine_spec& machine) {
  constexpr const char* name = "layer_kernel";
  require_single(name, p.type);
  const rows_and_features of{checked_size(name, "rows", p.rows),
                             checked_size(name, "features", p.features)};
  const auto norm = [&](bool is_running, bool is_vjp) {
    return batch_norm(of, float(p.epsilon), is_running, is_vjp, machine);
  };
  if (p.function == layer_function::batch_norm) return norm(false, false);
  if (p.function == layer_function::batch_norm_vjp) return norm(false, true);
  if (p.function == layer_function::running_norm) return norm(true, false);
  if (p.function == layer_function::running_norm_vjp) return norm(true, true);
  layer_formula made = formula_of(p.function);
  sized_kernel kernel = pointwise_kernel(made.kernel, of.rows, of.features, std::move(made.program),
                                         roundings(made.roundings), machine);
  if (p.function == layer_function::modrelu) kernel.inputs[1].extents = {of.features};
  return kernel;
}

}  // namespace papilio::kernels

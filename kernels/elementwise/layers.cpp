// Layers of complex networks and what trains them, forward and backward: formulas of
// kernels/elementwise/formulas.cpp as the kernels of layer_problem, and in the catalog.
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

layer_function function_named(const std::string& name) {
  for (const layer_function function : layer_functions())
    if (name == to_string(function)) return function;
  throw invalid_argument("layer_kernel: no function is named " + name);
}

/// A kernel of the catalog: `function` names what its parameters choose.
struct layer_entry {
  const char *name, *summary;
  std::vector<kernel_parameter> parameters;
  std::string (*function)(const parameter_values&);

  catalog_entry entry() const {
    return {
        .name = name,
        .summary = summary,
        .parameters =
            joined(parameters, {{.name = "rows", .preset = "1024", .help = "Rows of numbers"},
                                {.name = "features", .preset = "512", .help = "Numbers of a row"}}),
        .size = [function = function](const parameter_values& values, const machine_spec& machine) {
          return kernels::layer_kernel(
              {.function = function_named(function(values)),
               .rows = kernels::size_of(values, "rows"),
               .features = kernels::size_of(values, "features"),
               .epsilon = values.contains("epsilon") ? double(float_of(values, "epsilon")) : 0},
              machine);
        }};
  }
};

// The end of a function's name.
std::string form_of(const parameter_values& values) {
  return values.at("form") == "vjp" ? "_vjp" : "";
}

}  // namespace

std::vector<catalog_entry> layer_entries() {
  const kernel_parameter form =
      choice_parameter("form", "The layer, or its gradients", {"forward", "vjp"});
  const std::vector<layer_entry> all{
      {"complex_relu",
       "CReLU or zReLU of planar complex numbers, or its gradient",
       {choice_parameter("kind", "Both parts rectified, or the first quadrant", {"crelu", "zrelu"}),
        form},
       [](const parameter_values& v) { return v.at("kind") + form_of(v); }},
      {"complex_modrelu",
       "max(|z| + b, 0) z / |z| of planar complex numbers, a b for each feature",
       {},
       [](const parameter_values&) { return std::string("modrelu"); }},
      {"complex_modrelu_vjp",
       "Gradients of complex_modrelu by the numbers and by the bias",
       {},
       [](const parameter_values&) { return std::string("modrelu_vjp"); }},
      {"real_mask",
       "mask * spectrum, element by element, of a real mask",
       {},
       [](const parameter_values&) { return std::string("real_mask"); }},
      {"complex_mask_vjp",
       "Gradients of mask * spectrum by the spectrum and by the mask",
       {choice_parameter("mask", "Numbers of the mask", {"complex", "real"})},
       [](const parameter_values& v) { return v.at("mask") + "_mask_vjp"; }},
      {"magnitude_vjp",
       "Gradient of magnitudes or powers by the spectrum",
       {choice_parameter("of", "What is taken", {"magnitude", "power"})},
       [](const parameter_values& v) { return v.at("of") + "_vjp"; }},
      {"complex_batch_norm",
       "Whitening of complex features over rows, times gamma plus beta, or its gradients",
       {choice_parameter("moments", "Of the batch itself, or given", {"batch", "running"}), form,
        factor_parameter("epsilon", "1e-5", "Added to both variances")},
       [](const parameter_values& v) { return v.at("moments") + "_norm" + form_of(v); }},
  };
  std::vector<catalog_entry> entries;
  for (const layer_entry& one : all) entries.push_back(one.entry());
  return entries;
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

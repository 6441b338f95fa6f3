// One step of training a complex mask, in one program: forward, backward and update, with nothing
// leaving HBM in between.
//   identity   mask M = F W, Y = M X, residual R = Y - S, loss |R|^2;
//              dL/dW = 2 F^H (conj(X) R), W' = W - rate dL/dW
//   layout     each stage is a kernel of its own on parts of this one's tensors: two contractions,
//              with the mask and its gradient as their intermediates, and three vector operations
//   bound      that of the products: HBM for few rows, else the tensor engine
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/elementwise.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using namespace kernels;

constexpr const char* training_name = "training_step";

struct training_stage {
  std::string name;
  kernel_design design;

  auto fields() const { return std::tie(name, design); }
};

struct training_design {
  std::int64_t rows = 1, inputs = 1, bins = 1;
  float rate = 0;
  std::vector<training_stage> stages;

  auto fields() const { return std::tie(rows, inputs, bins, rate, stages); }
  std::string describe() const {
    std::string text;
    for (const training_stage& s : stages) text += s.name + ": " + s.design.explain();
    return text;
  }
};

// Labels: 0 rows, 1 inputs, 2 bins.
contraction_problem stage_of(const training_design& d, std::vector<std::vector<int>> operands,
                             std::vector<contraction_problem::step> steps) {
  contraction_problem p{.sizes = {std::size_t(d.rows), std::size_t(d.inputs), std::size_t(d.bins)},
                        .operands = {},
                        .steps = std::move(steps),
                        .results = {operands.size() + 1},
                        .is_complex = true};
  for (const std::vector<int>& labels : operands) {
    p.operands.emplace_back();
    for (const int label : labels) p.operands.back().push_back(p.sizes[std::size_t(label)]);
  }
  return p;
}

struct training_kernels {
  sized_kernel forward, residual, loss, backward, update;

  training_kernels(const training_design& d, const machine_spec& machine)
      : forward(contraction_kernel(
            stage_of(d, {{0, 1}, {1, 2}, {0, 2}},
                     {{{{0, {0, 1}}, {1, {1, 2}}}, {0, 2}}, {{{3, {0, 2}}, {2, {0, 2}}}, {0, 2}}}),
            machine)),
        residual(vector({.n = 2 * d.rows * d.bins, .alpha = -1}, machine)),
        loss(vector({.operation = vector_operation::dot, .n = 2 * d.rows * d.bins}, machine)),
        backward(contraction_kernel(stage_of(d, {{0, 2}, {0, 2}, {0, 1}},
                                             {{{{0, {0, 2}, true}, {1, {0, 2}}}, {0, 2}},
                                              {{{2, {0, 1}, true}, {3, {0, 2}}}, {1, 2}}}),
                                    machine)),
        update(vector({.n = 2 * d.inputs * d.bins, .alpha = -2 * d.rate}, machine)) {}

  static sized_kernel vector(const vector_problem& p, const machine_spec& machine) {
    return vector_kernel(p, machine);
  }
};

// A stage with its operands in the shapes that it has them in.
void run_stage(core& nc, const char* name, const sized_kernel& stage,
               const std::vector<hbm_view>& in, const hbm_view& out) {
  const auto as = [](const hbm_view& v, const tensor_shape& shape) {
    return shape.rank() == 1 ? v.reshape({v.elements()}) : v.reshape({2, v.elements() / 2});
  };
  nc.step(name);
  std::vector<hbm_view> inputs;
  for (std::size_t i = 0; i < in.size(); ++i) inputs.push_back(as(in[i], stage.inputs[i]));
  stage.program.body(nc, kernel_arguments(std::move(inputs), {as(out, stage.outputs[0])}));
}

sized_kernel training_kernel(std::int64_t rows, std::int64_t inputs, std::int64_t bins, float rate,
                             const machine_spec& machine) {
  const tensor_shape features{{2, rows, inputs}}, spectra{{2, rows, bins}},
      weights{{2, inputs, bins}};
  sized_kernel sized{.program = {.name = training_name},
                     .inputs = {features, weights, spectra, spectra},
                     .outputs = {weights, {{1}}},
                     .ranges = std::vector<input_range>(4)};
  require_bytes(sized);
  training_design design{rows, inputs, bins, rate, {}};
  const auto k = std::make_shared<const training_kernels>(design, machine);
  design.stages = {{"forward", k->forward.design},
                   {"residual", k->residual.design},
                   {"loss", k->loss.design},
                   {"backward", k->backward.design},
                   {"update", k->update.design}};
  sized.expected_error = k->backward.expected_error;
  return designed(std::move(sized), std::move(design), machine,
                  [k](core& nc, const training_design& d, const kernel_arguments& t) {
                    const std::int64_t values = 2 * d.rows * d.bins;
                    const hbm_view masked = nc.hbm({values}), error = nc.hbm({values}),
                                   gradient = nc.hbm({2 * d.inputs * d.bins});
                    const hbm_view &f = t.in(0), &w = t.in(1), &x = t.in(2), &s = t.in(3);
                    run_stage(nc, "forward", k->forward, {f, w, x}, masked);
                    run_stage(nc, "residual", k->residual, {s, masked}, error);
                    run_stage(nc, "loss", k->loss, {error, error}, t.out(1));
                    run_stage(nc, "backward", k->backward, {x, error, f}, gradient);
                    run_stage(nc, "update", k->update, {gradient, w}, t.out(0));
                  });
}

}  // namespace

catalog_entry training_step_entry() {
  return {.name = training_name,
          .summary = "A step of training a complex mask F W: forward, backward and update",
          .parameters = {{.name = "rows", .preset = "1024", .help = "Segments of the batch"},
                         {.name = "inputs", .preset = "257", .help = "Features of a segment"},
                         {.name = "bins", .preset = "257", .help = "Bins of a segment"},
                         factor_parameter("rate", "0.001", "Factor of the gradient in the update")},
          .size = [](const parameter_values& values, const machine_spec& machine) {
            return training_kernel(number_of(values, "rows"), number_of(values, "inputs"),
                                   number_of(values, "bins"), float_of(values, "rate"), machine);
          }};
}

}  // namespace papilio::kernels_detail

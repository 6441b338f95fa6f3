#include "kernels/stage_list.hpp"

#include <memory>
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/transform/error_model.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::sized_kernel;

contraction_problem labelled_contraction(std::vector<std::size_t> sizes,
                                         const std::vector<std::vector<int>>& operands,
                                         std::vector<contraction_problem::step> steps,
                                         bool is_complex) {
  contraction_problem p{
      .sizes = std::move(sizes), .steps = std::move(steps), .is_complex = is_complex};
  for (const std::vector<int>& labels : operands) {
    p.operands.emplace_back();
    for (const int label : labels) p.operands.back().push_back(p.sizes[std::size_t(label)]);
  }
  for (std::size_t i = 0; i < p.steps.size(); ++i) p.results.push_back(operands.size() + i);
  return p;
}

stage_tensor stage_list::input(const tensor_shape& shape, kernels::input_range range) {
  sized_.inputs.push_back(shape);
  sized_.ranges.push_back(range);
  return {stage_tensor::role::input, sized_.inputs.size() - 1, 0, shape.elements()};
}

stage_tensor stage_list::output(const tensor_shape& shape) {
  sized_.outputs.push_back(shape);
  return {stage_tensor::role::output, sized_.outputs.size() - 1, 0, shape.elements()};
}

stage_tensor stage_list::between(std::int64_t elements) {
  between_.push_back(elements);
  return {stage_tensor::role::between, between_.size() - 1, 0, elements};
}

void stage_list::add(const char* name, sized_kernel kernel, std::vector<stage_tensor> in,
                     std::vector<stage_tensor> out) {
  stages_.push_back({name, kernel.design, std::move(in), std::move(out)});
  sized_.tables.insert(sized_.tables.end(), kernel.tables.begin(), kernel.tables.end());
  kernels_.push_back(std::move(kernel));
}

namespace {

// Contiguous elements in a shape.
hbm_view shaped(const hbm_view& v, const tensor_shape& shape) {
  std::vector<pattern_dim> dims;
  std::int64_t stride = shape.elements();
  for (const std::int64_t extent : shape.extents) {
    stride /= extent;
    dims.push_back({extent, stride});
  }
  return v.pattern(0, dims);
}

struct stage_run {
  core& nc;
  const kernel_arguments& given;
  std::vector<hbm_view> between;

  hbm_view of(const stage_tensor& t, const tensor_shape& shape) const {
    const hbm_view& whole = t.of == stage_tensor::role::input    ? given.in(t.index)
                            : t.of == stage_tensor::role::output ? given.out(t.index)
                                                                 : between[t.index];
    return shaped(whole.reshape({whole.elements()}).slice(0, t.first, t.count), shape);
  }

  void operator()(const stage& s, const sized_kernel& kernel, std::size_t table) const {
    nc.step(s.name, true);
    std::vector<hbm_view> in, out;
    for (std::size_t i = 0; i < s.in.size(); ++i) in.push_back(of(s.in[i], kernel.inputs[i]));
    for (std::size_t i = 0; i < kernel.tables.size(); ++i) in.push_back(given.in(table + i));
    for (std::size_t i = 0; i < s.out.size(); ++i) out.push_back(of(s.out[i], kernel.outputs[i]));
    kernel.program.body(nc, {std::move(in), std::move(out)});
  }
};

}  // namespace

sized_kernel stage_list::kernel(const machine_spec& machine) const {
  sized_kernel whole = sized_;
  require_bytes(whole);
  double squared_error = 0;
  for (const sized_kernel& k : kernels_) squared_error += k.expected_error * k.expected_error;
  whole.expected_error = square_root(squared_error);
  return designed(std::move(whole), stage_list_design{stages_}, machine,
                  [between = between_, all = kernels_, inputs = sized_.inputs.size()](
                      core& nc, const stage_list_design& d, const kernel_arguments& t) {
                    stage_run run{nc, t, {}};
                    for (const std::int64_t elements : between)
                      run.between.push_back(nc.hbm({elements}));
                    std::size_t table = inputs;
                    for (std::size_t i = 0; i < all.size(); ++i) {
                      run(d.stages[i], all[i], table);
                      table += all[i].tables.size();
                    }
                  });
}

std::string stage_list_design::describe() const {
  std::string text;
  for (const stage& s : stages) {
    text += s.name + ": " + s.design.explain();
    if (!text.ends_with('\n')) text += '\n';
  }
  return text;
}

}  // namespace papilio::kernels_detail

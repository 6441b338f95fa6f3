// Contractions of any number of tensors in one program.
//   identity   each step: out = sum of left times right over the labels that out has not
//   layout     tensors are row-major by their labels; results between steps are scratch tensors in
//              HBM, whose memory later steps use again, or stay in SBUF for the next step
//   bound      HBM, or the tensor engine; see product/run.cpp and vector_run.cpp
#include "papilio/kernels/contraction.hpp"

#include <algorithm>

#include "kernels/checks.hpp"
#include "kernels/choice.hpp"
#include "kernels/contraction/program.hpp"
#include "kernels/design.hpp"
#include "kernels/products/products.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;

constexpr const char* contraction_name = "contraction";

std::int64_t count_of(const contraction_problem& problem, const std::vector<int>& labels) {
  std::int64_t count = 1;
  for (const int label : labels)
    count = checked_multiply(count, std::int64_t(problem.sizes[std::size_t(label)]),
                             "contraction: elements");
  return count;
}

tensor_shape shape_of(const contraction_problem& problem, std::int64_t count) {
  if (problem.is_complex) return {{2, count}};
  return {{count}};
}

double error_of(const program_step& s, const machine_spec& machine) {
  double terms = 1;
  for (const step_axis& a : s.loops.axes)
    if (a.is_summed()) terms *= double(a.extent);
  if (!s.loops.is_pair && terms == 1) return 0;
  if (s.loops.is_pair && s.loops.parts > 1)
    return square_root(squared_error_of_split_products(terms * s.loops.planes, s.loops.parts,
                                                       machine.tensor.rows));
  return matrix_product{
      .form = s.loops.planes == 2 ? product_form::four_products : product_form::real,
      .k = std::int64_t(terms),
      .type = s.loops.is_pair ? s.loops.type : dtype::fp32}
      .expected_error(machine);
}

double flops_of(const program_step& s) {
  const bool sums =
      std::ranges::any_of(s.loops.axes, [](const step_axis& a) { return a.is_summed(); });
  if (!s.loops.is_pair) return sums ? s.loops.terms() * s.loops.planes : 0;
  return s.loops.terms() * (s.loops.planes == 2 ? (sums ? 8 : 6) : (sums ? 2 : 1));
}

// The key under which a design is cached: all of a problem and its options that decide it.
std::string key_of(const contraction_problem& problem, const contraction_kernel_options& options) {
  key_writer key;
  add_value(key, std::tie(problem.sizes, problem.operands, problem.results, problem.is_complex,
                          options.type, options.parts));
  for (const contraction_problem::step& s : problem.steps) {
    key.open();
    for (const contraction_problem::term& t : s.of)
      add_value(key, std::tie(t.value, t.labels, t.conjugate));
    key.close();
    add_value(key, s.labels);
  }
  for (const contraction_problem::loop& l : problem.loops)
    add_value(key, std::tie(l.labels, l.first, l.last));
  return key.text();
}

}  // namespace

sized_kernel contraction_kernel(const contraction_problem& problem, const machine_spec& machine,
                                const contraction_kernel_options& options,
                                std::vector<contraction_step_design>* designs) {
  require_float(contraction_name, "type", options.type);
  require(options.parts >= 1 && options.parts <= 3, contraction_name,
          ": parts must be in [1, 3], got ", options.parts);
  require(options.parts == 1 || options.type == dtype::bf16, contraction_name, ": type of ",
          options.parts, " parts must be bf16, got ", to_string(options.type));
  problem.require_valid(contraction_name);
  for (const std::size_t size : problem.sizes)
    require_size(contraction_name, "sizes", checked_cast<std::int64_t>(size, "contraction: sizes"));
  sized_kernel sized{
      .program = {.name = contraction_name}, .inputs = {}, .outputs = {}, .machine = machine};
  for (const std::int64_t count : operand_counts(problem))
    sized.inputs.push_back(shape_of(problem, count));
  for (const contraction_problem::step& s : problem.steps)
    shape_of(problem, count_of(problem, s.labels)).bytes();
  for (const std::size_t r : problem.results)
    sized.outputs.push_back(
        shape_of(problem, count_of(problem, problem.steps[r - problem.operands.size()].labels)));
  require_bytes(sized);
  sized.ranges.resize(sized.inputs.size());
  // The design is cached, since an operation's kernel is made again to be explained, compared and
  // run.
  sized.design = *made_once(key_of(problem, options), machine,
                            [&] { return design_of(program_of(problem, options, machine)); });
  const contraction_program& program = *design_as<contraction_program>(sized.design);
  sized.program.parameters = sized.design.key();
  sized.program.body = [design = sized.design](core& nc, const kernel_arguments& t) {
    run_program(nc, *design_as<contraction_program>(design), t);
  };
  double error = 0;
  for (const program_step& s : program.steps) {
    const double e = error_of(s, machine);
    error += e * e;
    if (designs != nullptr)
      designs->push_back({s.expression(), program.describe(s), s.of, s.slices * flops_of(s)});
  }
  sized.expected_error = error > 0 ? square_root(error) : 0;
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {
namespace {

using base_detail::message;

std::string text_of(const std::vector<int>& labels) {
  std::string text;
  for (const int label : labels) text += message(text.empty() ? "" : " ", label);
  return text;
}

}  // namespace

std::string program_step::expression() const {
  std::string text = text_of(operands[0].labels);
  if (right != no_value) text += message(", ", text_of(operands[1].labels));
  return message(text, " -> ", text_of(labels));
}

std::string contraction_program::describe(const program_step& s) const {
  return message(kernels_detail::describe(s.parts), "; result ",
                 s.keeps()                          ? "stays in SBUF"
                 : values[s.out].result != no_value ? "goes out"
                                                    : "goes through HBM");
}

std::vector<kernels::design_part> contraction_program::parts() const {
  std::vector<kernels::design_part> all;
  for (const program_step& s : steps)
    all.push_back({message("step ", s.of + 1), message(s.expression(), ": ", describe(s))});
  return all;
}

std::string contraction_program::describe() const {
  std::string text;
  for (const kernels::design_part& p : parts()) text += message(p.name, ": ", p.text, "\n");
  return text;
}

std::vector<std::int64_t> operand_counts(const contraction_problem& problem) {
  std::vector<std::int64_t> counts;
  for (const std::vector<std::size_t>& extents : problem.operands)
    counts.push_back(checked_cast<std::int64_t>(checked_count(extents, "contraction: elements"),
                                                "contraction: elements"));
  return counts;
}

}  // namespace papilio::kernels_detail

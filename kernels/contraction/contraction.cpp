// Contractions of any number of tensors in one program.
//   identity   each step: out = sum over the labels that it has not of left right
//   layout     tensors row-major by their labels; what lies between steps in scratch tensors, whose
//              places are used again
//   bound      HBM, or the tensor engine; see product_run.cpp and lane_run.cpp
#include "papilio/kernels/contraction.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/labels.hpp"
#include "base/lru_cache.hpp"
#include "kernels/contraction/program.hpp"
#include "kernels/fft/error_model.hpp"
#include "kernels/products/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;
using base_detail::has;
using base_detail::message;

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

std::string listed(const auto& numbers) {
  std::string text;
  for (const auto n : numbers) text += message(text.empty() ? "" : " ", n);
  return text;
}

std::string parameters_of(const contraction_problem& problem, dtype type) {
  std::string text = message(problem.is_complex ? "complex" : "real", " ", to_string(type), " ",
                             listed(problem.sizes), "; ", listed(operand_counts(problem)));
  for (const contraction_problem::step& s : problem.steps) {
    for (const contraction_problem::term& t : s.of)
      text += message("; ", t.value, t.conjugate ? " conjugated" : "", ": ", listed(t.labels));
    text += message(" > ", listed(s.labels));
  }
  text += message("; ", listed(problem.results), "; ");
  for (const contraction_problem::loop& l : problem.loops) {
    text += message(&l == problem.loops.data() ? "" : ", ", listed(l.labels));
    if (l.last - l.first + 1 < problem.steps.size())
      text += message(" of steps ", l.first, " to ", l.last);
  }
  return text;
}

using shared_program = std::shared_ptr<const contraction_program>;

struct program_key {
  std::string parameters;
  machine_spec machine;
  bool operator==(const program_key&) const = default;
};
struct program_key_hash {
  std::size_t operator()(const program_key& key) const {
    return std::hash<std::string>{}(key.parameters);
  }
};

// Programs by what decides them, the last ones that were asked for: an operation is explained,
// compared and run one after the other.
shared_program program_for(const contraction_problem& problem, dtype type,
                           const std::string& parameters, const machine_spec& machine) {
  using cache = base_detail::lru_cache<program_key, program_key, contraction_program,
                                       program_key_hash, std::equal_to<program_key>>;
  static cache known({.entries = 64, .bytes = 64});
  const program_key key{parameters, machine};
  if (shared_program there = known.find(key)) return there;
  return known.keep(key, program_of(problem, type, machine), 1);
}

}  // namespace

sized_kernel contraction_kernel(const contraction_problem& problem, const machine_spec& machine,
                                dtype type, std::vector<contraction_step_design>* designs) {
  require_float(contraction_name, "type", type);
  problem.require_valid(contraction_name);
  for (const std::size_t size : problem.sizes)
    require_size(contraction_name, "sizes", checked_cast<std::int64_t>(size, "contraction: sizes"));
  sized_kernel sized{
      .program = {.name = contraction_name, .parameters = parameters_of(problem, type)},
      .inputs = {},
      .outputs = {},
      .machine = machine};
  for (const std::int64_t count : operand_counts(problem))
    sized.inputs.push_back(shape_of(problem, count));
  for (const contraction_problem::step& s : problem.steps)
    shape_of(problem, count_of(problem, s.labels)).bytes();
  for (const std::size_t r : problem.results)
    sized.outputs.push_back(
        shape_of(problem, count_of(problem, problem.steps[r - problem.operands.size()].labels)));
  require_bytes(sized);
  sized.ranges.resize(sized.inputs.size());
  const shared_program program = program_for(problem, type, sized.program.parameters, machine);
  sized.program.body = [program](core& nc, const kernel_arguments& t) {
    run_program(nc, *program, t);
  };
  double error = 0;
  for (std::size_t i = 0; i < program->steps.size(); ++i) {
    const program_step& s = program->steps[i];
    const bool keeps = s.chained && s.chained->keeps;
    const std::string text =
        message(s.choice.text, "; result ",
                keeps                                       ? "stays in SBUF"
                : program->values[s.out].result != no_value ? "goes out"
                                                            : "goes through HBM");
    sized.explanation += message("step ", s.of + 1, ": ", s.expression, ": ", text, "\n");
    const double e = error_of(s, machine);
    error += e * e;
    if (designs != nullptr) designs->push_back({s.expression, text, s.of, s.slices * flops_of(s)});
  }
  sized.expected_error = error > 0 ? square_root(error) : 0;
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::vector<std::int64_t> operand_counts(const contraction_problem& problem) {
  std::vector<std::int64_t> counts;
  for (const std::vector<std::size_t>& extents : problem.operands)
    counts.push_back(checked_cast<std::int64_t>(checked_count(extents, "contraction: elements"),
                                                "contraction: elements"));
  return counts;
}

}  // namespace papilio::kernels_detail

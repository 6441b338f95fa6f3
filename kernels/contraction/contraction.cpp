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
#include "kernels/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;
using base_detail::has;
using base_detail::message;

constexpr const char* contraction_name = "contraction";

void check_labels(const contraction_shape& shape, const std::vector<int>& labels,
                  const std::string& what) {
  for (const int label : labels)
    if (label < 0 || std::size_t(label) >= shape.sizes.size())
      throw invalid_argument(message(contraction_name, ": ", what, ": labels must be in [0, ",
                                     shape.sizes.size(), "), got ", label));
}

std::int64_t count_of(const contraction_shape& shape, const std::vector<int>& labels) {
  std::int64_t count = 1;
  for (const int label : labels)
    count = checked_multiply(count, shape.sizes[std::size_t(label)], "contraction: elements");
  return count;
}

void check_terms(const contraction_shape& shape, const std::string& what,
                 const contraction_shape::step& s, const std::vector<std::int64_t>& values) {
  if (s.of.empty() || s.of.size() > 2)
    throw invalid_argument(
        message(contraction_name, ": ", what, " must have 1 or 2 terms, got ", s.of.size()));
  for (const contraction_shape::term& t : s.of) {
    if (t.value >= values.size())
      throw invalid_argument(message(contraction_name, ": ", what, ": values must be below ",
                                     values.size(), ", got ", t.value));
    check_labels(shape, t.labels, what);
    if (const std::int64_t count = count_of(shape, t.labels); count != values[t.value])
      throw invalid_argument(message(contraction_name, ": ", what, ": value ", t.value, " has ",
                                     values[t.value], " elements, its labels ", count));
  }
}

void check_step(const contraction_shape& shape, std::size_t i,
                const std::vector<std::int64_t>& values) {
  const contraction_shape::step& s = shape.steps[i];
  const std::string what = message("step ", i);
  check_terms(shape, what, s, values);
  check_labels(shape, s.labels, what);
  for (const int label : s.labels) {
    if (std::ranges::count(s.labels, label) > 1)
      throw invalid_argument(message(contraction_name, ": ", what, " has label ", label, " twice"));
    if (has(sliced_around(shape, i), label)) continue;  // of some operand: check_loop looks
    if (std::ranges::none_of(s.of, [&](const auto& t) { return has(t.labels, label); }))
      throw invalid_argument(
          message(contraction_name, ": ", what, ": label ", label, " is of none of its operands"));
  }
}

// Intermediates have no sliced labels: they are of one slice.
void check_sliced_labels(const contraction_shape& shape, const contraction_shape::loop& loop) {
  const auto steps = std::span(shape.steps).subspan(loop.first, loop.last - loop.first + 1);
  check_labels(shape, loop.labels, "sliced");
  for (const int label : loop.labels) {
    const bool is_there = std::ranges::any_of(steps, [&](const auto& s) {
      return std::ranges::any_of(s.of, [&](const auto& t) { return has(t.labels, label); });
    });
    if (!is_there || std::ranges::count(loop.labels, label) > 1)
      throw invalid_argument(message(
          contraction_name, ": sliced labels must be of some operand, each once, got ", label));
  }
  for (std::size_t i = loop.first; i <= loop.last; ++i) {
    const auto refuse = [&](const std::vector<int>& labels) {
      for (const int label : loop.labels)
        if (has(labels, label))
          throw invalid_argument(message(contraction_name, ": step ", i, ": label ", label,
                                         " is sliced, no intermediate may have it"));
    };
    if (i < loop.last) refuse(shape.steps[i].labels);
    for (const contraction_shape::term& t : shape.steps[i].of)
      if (t.value >= shape.operands.size()) refuse(t.labels);
  }
}

// Of what a loop makes, others see the result alone.
void check_loop(const contraction_shape& shape, const contraction_shape::loop& loop) {
  if (loop.first > loop.last || loop.last >= shape.steps.size())
    throw invalid_argument(message(contraction_name, ": loops must be of steps in [0, ",
                                   shape.steps.size(), "), got ", loop.first, " to ", loop.last));
  const std::size_t made = shape.operands.size() + loop.first,
                    result = shape.operands.size() + loop.last;
  const auto is_within = [&](std::size_t value) { return value >= made && value < result; };
  if (std::ranges::find(shape.results, result) == shape.results.end() ||
      std::ranges::any_of(shape.results, is_within))
    throw invalid_argument(message(contraction_name, ": steps ", loop.first, " to ", loop.last,
                                   ": in slices there must be one result, that of the last step"));
  for (std::size_t i = loop.last + 1; i < shape.steps.size(); ++i)
    for (const contraction_shape::term& t : shape.steps[i].of)
      if (is_within(t.value))
        throw invalid_argument(message(contraction_name, ": step ", i, ": value ", t.value,
                                       " is of one slice of the loop before"));
  check_sliced_labels(shape, loop);
}

void check_loops(const contraction_shape& shape) {
  for (std::size_t i = 0; i < shape.loops.size(); ++i) {
    check_loop(shape, shape.loops[i]);
    if (i > 0 && shape.loops[i].first <= shape.loops[i - 1].last)
      throw invalid_argument(message(contraction_name, ": loop ", i, " must begin after step ",
                                     shape.loops[i - 1].last, ", got ", shape.loops[i].first));
  }
}

void check(const contraction_shape& shape) {
  require_float(contraction_name, "type", shape.type);
  for (const std::int64_t size : shape.sizes) require_size(contraction_name, "sizes", size);
  for (const std::int64_t count : shape.operands) require_size(contraction_name, "operands", count);
  if (shape.operands.empty() || shape.steps.empty() || shape.results.empty())
    throw invalid_argument(
        message(contraction_name, ": there must be operands, steps and results, got ",
                shape.operands.size(), ", ", shape.steps.size(), " and ", shape.results.size()));
  std::vector<std::int64_t> values = shape.operands;
  for (std::size_t i = 0; i < shape.steps.size(); ++i) {
    check_step(shape, i, values);
    values.push_back(count_of(shape, shape.steps[i].labels));
  }
  for (const std::size_t v : shape.results) {
    if (v < shape.operands.size() || v >= values.size())
      throw invalid_argument(message(contraction_name, ": results must be in [",
                                     shape.operands.size(), ", ", values.size(), "), got ", v));
    if (std::ranges::count(shape.results, v) > 1)
      throw invalid_argument(message(contraction_name, ": result ", v, " is given twice"));
  }
  check_loops(shape);
}

tensor_shape shape_of(const contraction_shape& shape, std::int64_t count) {
  if (shape.is_complex) return {{2, count}};
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

std::string parameters_of(const contraction_shape& shape) {
  std::string text = message(shape.is_complex ? "complex" : "real", " ", to_string(shape.type), " ",
                             listed(shape.sizes), "; ", listed(shape.operands));
  for (const contraction_shape::step& s : shape.steps) {
    for (const contraction_shape::term& t : s.of)
      text += message("; ", t.value, t.conjugate ? " conjugated" : "", ": ", listed(t.labels));
    text += message(" > ", listed(s.labels));
  }
  text += message("; ", listed(shape.results), "; ");
  for (const contraction_shape::loop& l : shape.loops) {
    text += message(&l == shape.loops.data() ? "" : ", ", listed(l.labels));
    if (l.last - l.first + 1 < shape.steps.size())
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
shared_program program_for(const contraction_shape& shape, const std::string& parameters,
                           const machine_spec& machine) {
  using cache = base_detail::lru_cache<program_key, program_key, contraction_program,
                                       program_key_hash, std::equal_to<program_key>>;
  static cache known({.entries = 64, .bytes = 64});
  const program_key key{parameters, machine};
  if (shared_program there = known.find(key)) return there;
  return known.keep(key, program_of(shape, machine), 1);
}

}  // namespace

sized_kernel contraction_kernel(const contraction_shape& shape, const machine_spec& machine,
                                std::vector<contraction_step_design>* designs) {
  check(shape);
  sized_kernel sized{.program = {.name = contraction_name, .parameters = parameters_of(shape)},
                     .inputs = {},
                     .outputs = {},
                     .machine = machine};
  for (const std::int64_t count : shape.operands) sized.inputs.push_back(shape_of(shape, count));
  for (const contraction_shape::step& s : shape.steps)
    shape_of(shape, count_of(shape, s.labels)).bytes();
  for (const std::size_t r : shape.results)
    sized.outputs.push_back(
        shape_of(shape, count_of(shape, shape.steps[r - shape.operands.size()].labels)));
  require_bytes(sized);
  sized.ranges.resize(sized.inputs.size());
  const shared_program program = program_for(shape, sized.program.parameters, machine);
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

// Contractions of any number of tensors in one program.
//   identity   each step: out = sum over the labels that it has not of left right
//   layout     tensors row-major by their labels; what lies between steps in scratch tensors, whose
//              places are used again
//   bound      HBM, or the tensor engine; see product_run.cpp and lane_run.cpp
#include "papilio/kernels/contraction.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/contraction/choice.hpp"
#include "kernels/entries.hpp"
#include "kernels/fft/error_model.hpp"
#include "kernels/products.hpp"
#include "papilio/base/checked.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;
using base_detail::message;

constexpr const char* name = "contraction";
constexpr std::size_t none = static_cast<std::size_t>(-1);

// A step as it runs; sums of labels that one operand alone has are steps of their own.
struct program_step {
  std::size_t left = 0, right = none, out = 0;  // values
  std::string expression;
  contraction_step loops;
  step_choice choice;
};

struct program_value {
  std::vector<int> labels;
  bool conjugate = false;
  std::size_t last_read = 0;  // step
  std::size_t result = none;  // output
};

// All that a run needs.
struct contraction_program {
  std::vector<program_value> values;  // the operands first
  std::vector<program_step> steps;
  std::size_t operands = 0;
  int planes = 1;
  double floor_cycles = 0, floor_bytes = 0;
};

bool has(const std::vector<int>& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

void check_labels(const contraction_shape& shape, const std::vector<int>& labels,
                  const std::string& what) {
  for (const int label : labels)
    if (label < 0 || std::size_t(label) >= shape.sizes.size())
      throw invalid_argument(message(name, ": ", what, ": labels must be in [0, ",
                                     shape.sizes.size(), "), got ", label));
}

void check_step(const contraction_shape& shape, std::size_t i,
                const std::vector<std::vector<int>>& values) {
  const contraction_shape::step& s = shape.steps[i];
  const std::string what = message("step ", i);
  if (s.of.empty() || s.of.size() > 2)
    throw invalid_argument(message(name, ": ", what, " must have 1 or 2 values, got ", s.of.size()));
  for (const std::size_t v : s.of)
    if (v >= values.size())
      throw invalid_argument(
          message(name, ": ", what, ": values must be below ", values.size(), ", got ", v));
  check_labels(shape, s.labels, what);
  for (std::size_t a = 0; a < s.labels.size(); ++a) {
    const int label = s.labels[a];
    if (std::find(s.labels.begin(), s.labels.begin() + std::ptrdiff_t(a), label) !=
        s.labels.begin() + std::ptrdiff_t(a))
      throw invalid_argument(message(name, ": ", what, " has label ", label, " twice"));
    if (std::ranges::none_of(s.of, [&](std::size_t v) { return has(values[v], label); }))
      throw invalid_argument(
          message(name, ": ", what, ": label ", label, " is of none of its operands"));
  }
}

void check(const contraction_shape& shape) {
  for (const std::int64_t size : shape.sizes) require_size(name, "sizes", size);
  if (shape.operands.empty() || shape.steps.empty() || shape.results.empty())
    throw invalid_argument(message(name, ": there must be operands, steps and results, got ",
                                   shape.operands.size(), ", ", shape.steps.size(), " and ",
                                   shape.results.size()));
  std::vector<std::vector<int>> values;
  for (const contraction_shape::tensor& t : shape.operands) {
    check_labels(shape, t.labels, message("operand ", values.size()));
    values.push_back(t.labels);
  }
  for (std::size_t i = 0; i < shape.steps.size(); ++i) {
    check_step(shape, i, values);
    values.push_back(shape.steps[i].labels);
  }
  for (std::size_t r = 0; r < shape.results.size(); ++r) {
    const std::size_t v = shape.results[r];
    if (v < shape.operands.size() || v >= values.size())
      throw invalid_argument(message(name, ": results must be in [", shape.operands.size(), ", ",
                                     values.size(), "), got ", v));
    if (std::ranges::count(shape.results, v) > 1)
      throw invalid_argument(message(name, ": result ", v, " is given twice"));
  }
}

tensor_shape shape_of(const contraction_shape& shape, const std::vector<int>& labels) {
  std::int64_t count = 1;
  for (const int label : labels)
    count = checked_multiply(count, shape.sizes[std::size_t(label)], "contraction: elements");
  if (shape.is_complex) return {{2, count}};
  return {{count}};
}

std::string text_of(const std::vector<int>& labels) {
  std::string text;
  for (const int label : labels) text += message(text.empty() ? "" : " ", label);
  return text;
}

class program_maker {
 public:
  program_maker(const contraction_shape& shape, const machine_spec& machine)
      : shape_(shape), machine_(machine), program_(std::make_shared<contraction_program>()) {}

  std::shared_ptr<contraction_program> make() {
    contraction_program& p = *program_;
    p.planes = shape_.is_complex ? 2 : 1;
    p.operands = shape_.operands.size();
    for (const contraction_shape::tensor& t : shape_.operands)
      p.values.push_back({t.labels, shape_.is_complex && t.conjugate});
    for (std::size_t v = 0; v < p.values.size(); ++v) known_.push_back(v);
    for (const contraction_shape::step& s : shape_.steps) {
      const std::size_t left = known_[s.of[0]];
      if (s.of.size() == 1) {
        known_.push_back(add(left, none, s.labels));
        continue;
      }
      const std::size_t right = known_[s.of[1]];
      const std::size_t first = summed(left, right, s.labels),
                        second = summed(right, left, s.labels);
      known_.push_back(add(first, second, s.labels));
    }
    for (std::size_t r = 0; r < shape_.results.size(); ++r)
      p.values[known_[shape_.results[r]]].result = r;
    add_floor();
    return program_;
  }

 private:
  // Without the labels that nobody else has.
  std::size_t summed(std::size_t value, std::size_t other, const std::vector<int>& out) {
    std::vector<int> kept;
    bool sums = false;
    for (const int label : program_->values[value].labels) {
      if (has(out, label) || has(program_->values[other].labels, label)) {
        if (!has(kept, label)) kept.push_back(label);
      } else {
        sums = sums || shape_.sizes[std::size_t(label)] > 1;
      }
    }
    return sums ? add(value, none, kept) : value;
  }

  std::size_t add(std::size_t left, std::size_t right, const std::vector<int>& labels) {
    contraction_program& p = *program_;
    const auto tensor = [&](std::size_t v) {
      return labelled_tensor{p.values[v].labels, p.values[v].conjugate};
    };
    program_step step{.left = left, .right = right, .out = p.values.size(), .expression = {},
                      .loops = {}, .choice = {}};
    step.expression = text_of(p.values[left].labels);
    if (right != none) step.expression += message(", ", text_of(p.values[right].labels));
    step.expression += message(" -> ", text_of(labels));
    const labelled_tensor first = tensor(left),
                          second = right == none ? labelled_tensor{} : tensor(right);
    step.loops = step_of(first, right == none ? nullptr : &second, labels, shape_.sizes,
                         shape_.is_complex);
    step.choice = choose(step.loops, machine_);
    p.values[left].last_read = p.steps.size();
    if (right != none) p.values[right].last_read = p.steps.size();
    p.values.push_back({labels});
    p.steps.push_back(std::move(step));
    return p.values.size() - 1;
  }

  // Operands that are read and results once; sums of products on a full array.
  void add_floor() {
    contraction_program& p = *program_;
    const auto bytes = [&](const std::vector<int>& labels) {
      return double(shape_of(shape_, labels).bytes());
    };
    for (std::size_t v = 0; v < p.values.size(); ++v)
      if (v < p.operands || p.values[v].result != none) p.floor_bytes += bytes(p.values[v].labels);
    for (const program_step& s : p.steps)
      if (!s.loops.axes_of(true, true, false).empty())
        p.floor_cycles += double(machine_.tensor.fp32_passes) * p.planes * p.planes *
                          s.loops.terms() / double(machine_.tensor.rows) /
                          double(machine_.tensor.columns);
  }

  const contraction_shape& shape_;
  const machine_spec& machine_;
  std::shared_ptr<contraction_program> program_;
  std::vector<std::size_t> known_;  // value of the program by value of the shape
};

// Scratch tensors, used again once they are read for the last time.
class scratch_store {
 public:
  explicit scratch_store(core& nc) : nc_(nc) {}

  hbm_view take(std::int64_t elements) {
    const auto fitting = [&](const hbm_view& v) { return v.elements() >= elements; };
    const auto found = std::ranges::find_if(free_, fitting);
    if (found == free_.end()) return nc_.hbm({elements});
    const hbm_view place = *found;
    free_.erase(found);
    return place;
  }
  void give(const hbm_view& place) { free_.push_back(place); }

 private:
  core& nc_;
  std::vector<hbm_view> free_;
};

void run_all(core& nc, const contraction_program& p, const kernel_arguments& t) {
  nc.state_floor(p.floor_bytes, p.floor_cycles);
  const auto flat = [](const hbm_view& v) { return v.reshape({v.elements()}); };
  scratch_store scratch(nc);
  std::vector<hbm_view> at(p.values.size());
  for (std::size_t v = 0; v < p.operands; ++v) at[v] = flat(t.in(v));
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const program_step& s = p.steps[i];
    const program_value& out = p.values[s.out];
    at[s.out] = out.result != none ? flat(t.out(out.result))
                                   : scratch.take(p.planes * s.loops.results());
    nc.step(message("step ", i + 1));
    const step_tensors tensors{{at[s.left], s.right == none ? hbm_view{} : at[s.right], at[s.out]}};
    run(nc, s.loops, s.choice, tensors);
    for (const std::size_t v : {s.left, s.right})
      if (v != none && v >= p.operands && p.values[v].result == none &&
          p.values[v].last_read == i && !at[v].empty()) {
        scratch.give(at[v]);
        at[v] = {};
      }
  }
}

double error_of(const program_step& s, const machine_spec& machine) {
  double terms = 1;
  for (const step_axis& a : s.loops.axes)
    if (a.is_summed()) terms *= double(a.extent);
  if (!s.loops.is_pair && terms == 1) return 0;
  return product_problem{.form = s.loops.planes == 2 ? product_form::four_products
                                                     : product_form::real,
                         .k = std::int64_t(terms)}
      .expected_error(machine);
}

double flops_of(const program_step& s) {
  const bool sums = std::ranges::any_of(s.loops.axes, [](const step_axis& a) { return a.is_summed(); });
  if (!s.loops.is_pair) return sums ? s.loops.terms() * s.loops.planes : 0;
  return s.loops.terms() * (s.loops.planes == 2 ? (sums ? 8 : 6) : (sums ? 2 : 1));
}

std::string parameters_of(const contraction_shape& shape) {
  std::string text = shape.is_complex ? "complex" : "real";
  for (const std::int64_t size : shape.sizes) text += message(" ", size);
  for (const contraction_shape::tensor& t : shape.operands)
    text += message(t.conjugate ? "; conj " : "; ", text_of(t.labels));
  for (const contraction_shape::step& s : shape.steps)
    text += message("; ", s.of[0], s.of.size() > 1 ? message(" ", s.of[1]) : "", ": ",
                    text_of(s.labels));
  for (const std::size_t r : shape.results) text += message("; ", r);
  return text;
}

}  // namespace

sized_kernel contraction_kernel(const contraction_shape& shape, const machine_spec& machine,
                                std::vector<contraction_step_design>* designs) {
  check(shape);
  sized_kernel sized{.program = {.name = name, .parameters = parameters_of(shape)},
                     .inputs = {},
                     .outputs = {},
                     .machine = machine};
  for (const contraction_shape::tensor& t : shape.operands)
    sized.inputs.push_back(shape_of(shape, t.labels));
  for (const std::size_t r : shape.results)
    sized.outputs.push_back(shape_of(shape, shape.steps[r - shape.operands.size()].labels));
  for (const contraction_shape::step& s : shape.steps) shape_of(shape, s.labels).bytes();
  require_bytes(sized);
  sized.ranges.resize(sized.inputs.size());
  const std::shared_ptr<const contraction_program> program =
      program_maker(shape, machine).make();
  sized.program.body = [program](core& nc, const kernel_arguments& t) { run_all(nc, *program, t); };
  double error = 0;
  for (std::size_t i = 0; i < program->steps.size(); ++i) {
    const program_step& s = program->steps[i];
    sized.explanation += message("step ", i + 1, ": ", s.expression, ": ", s.choice.text, "\n");
    const double e = error_of(s, machine);
    error += e * e;
    if (designs != nullptr) designs->push_back({s.expression, s.choice.text, flops_of(s)});
  }
  sized.expected_error = error > 0 ? square_root(error) : 0;
  return sized;
}

}  // namespace papilio::kernels

#include "contract/device_plan.hpp"

#include <algorithm>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::contract_detail {

namespace {

bool is_complex(element_type type) {
  return type == element_type::complex64 || type == element_type::complex128;
}

// Labels of an operand's axes, those that are sliced too; axes of extent 1 that are broadcast have
// none.
std::vector<int> labels_of(const std::vector<int>& axes) {
  std::vector<int> labels;
  for (const int label : axes)
    if (label >= 0) labels.push_back(label);
  return labels;
}

}  // namespace

contraction_problem problem_of(const plan_problem& problem, const contraction_path& path,
                               const std::vector<lowered_step>& steps) {
  const contraction_network& network = problem.expression.network;
  contraction_problem all{
      .sizes = network.sizes,
      .operands = problem.extents,
      .steps = {},
      .results = {problem.extents.size() + steps.size() - 1},
      .loops = {},
      .is_complex = is_complex(problem.type),
      .type = problem.type == element_type::float32 || problem.type == element_type::complex64
                  ? real_type::single_precision
                  : real_type::double_precision};
  const auto term_of = [&](const step_source& s) {
    if (s.is_operand)
      return contraction_problem::term{s.index, labels_of(problem.expression.axes[s.index]),
                                       is_complex(problem.type) && problem.conjugate[s.index]};
    std::size_t made = all.steps.size();  // the latest that wrote there: places are used again
    while (steps[--made].offset != s.offset) {
    }
    return contraction_problem::term{problem.extents.size() + made, s.lies.labels, false};
  };
  for (const lowered_step& step : steps) {
    contraction_problem::step one{.of = {term_of(step.left)},
                                  .labels = step.writes_out ? network.output : step.result.labels};
    if (step.is_pair()) one.of.push_back(term_of(step.right));
    all.steps.push_back(std::move(one));
  }
  if (!path.sliced.empty()) all.loops.push_back({path.sliced, 0, all.steps.size() - 1});
  return all;
}

bool is_empty(const contraction_problem& problem) {
  const auto has_none = [](const std::vector<std::size_t>& extents) {
    return std::ranges::find(extents, std::size_t{0}) != extents.end();
  };
  return std::ranges::any_of(problem.operands, has_none);
}

void require_host_execution(const char* function, const execution& on) {
  if (on.threads >= 0 && on.backend.empty()) return;
  execution plain = on;
  plain.precision = {};
  place(function, gemm_problem{}, plain, host_roofline());
}

accelerator* accelerator_for(const char* function, const contraction_problem& problem,
                             const execution& on) {
  if (on.where == policy::host) return nullptr;
  if (on.where == policy::automatic && is_empty(problem)) return nullptr;
  // The host has a mode of its own: what no accelerator can is not asked of both.
  if (on.where == policy::automatic && on.precision != precision_options{} &&
      !dispatch_detail::is_explaining() && !explain(problem, on).device_can())
    return nullptr;
  return place(function, problem, on, host_roofline());
}

template <class T>
void run_on_device(const lowered_plan& plan, std::span<const T* const> operands, T* out, T alpha,
                   T beta) {
  const plan_problem& problem = plan.problem();
  const device_plan& there = *plan.device();
  std::vector<device_input> in;
  for (std::size_t i = 0; i < operands.size(); ++i)
    in.emplace_back(untyped_view<const void>(operands[i], problem.extents[i], problem.strides[i]),
                    there.problem.is_complex);
  const bool is_plain = alpha == T(1) && beta == T(0);
  if (is_plain) {
    const device_output to(untyped_view<void>(out, plan.out_extents(), problem.out_strides),
                           there.problem.is_complex);
    return run_on("einsum", *there.on, there.problem, plan.on().precision, in, {&to, 1});
  }
  const layout result{problem.expression.network.output, plan.out_extents(), problem.out_strides};
  layout packed = result;
  std::size_t count = 1;
  for (std::size_t axis = packed.extents.size(); axis-- > 0;) {
    packed.strides[axis] = static_cast<std::ptrdiff_t>(count);
    count *= packed.extents[axis];
  }
  array<T, 1> sums(count, uninitialized);
  const device_output to(untyped_view<void>(sums.data(), packed.extents, packed.strides),
                         there.problem.is_complex);
  run_on("einsum", *there.on, there.problem, plan.on().precision, in, {&to, 1});
  run(unary_design(packed, result, false), static_cast<const T*>(sums.data()), out, alpha, beta,
      plan.on().threads);
}

#define PAPILIO_DEVICE_PLAN(T) \
  template void run_on_device(const lowered_plan&, std::span<const T* const>, T*, T, T);
PAPILIO_DEVICE_PLAN(float)
PAPILIO_DEVICE_PLAN(double)
PAPILIO_DEVICE_PLAN(std::complex<float>)
PAPILIO_DEVICE_PLAN(std::complex<double>)

}  // namespace papilio::contract_detail

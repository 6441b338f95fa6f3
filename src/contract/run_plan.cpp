#include <algorithm>
#include <complex>
#include <utility>
#include <variant>
#include <vector>

#include "base/share.hpp"
#include "contract/device_plan.hpp"
#include "contract/lowered_plan.hpp"

// Execution of a plan: for each value of the sliced labels all steps, one after the other; threads
// are inside the steps.
namespace papilio::contract_detail {
namespace {

template <class T>
struct slice {
  std::vector<const T*> operands;
  T* out;
  T beta;
};

template <class T>
void run_steps(const lowered_plan& plan, std::span<const T* const> operands, T* out, T alpha,
               T beta, T* workspace) {
  const int threads = plan.on().threads;
  const std::span<T> scratch(workspace + plan.scratch_offset(), plan.scratch_size());
  const auto data = [&](const step_source& s) -> const T* {
    return s.is_operand ? operands[s.index] : workspace + s.offset;
  };
  for (const lowered_step& step : plan.steps()) {
    base_detail::ask_interruption();
    T* const to = step.writes_out ? out : workspace + step.offset;
    const T a = step.writes_out ? alpha : T(1), b = step.writes_out ? beta : T(0);
    if (const auto* pair = std::get_if<pair_design>(&step.work))
      run(*pair, data(step.left), data(step.right), to, a, b, scratch, threads);
    else
      run(std::get<unary_design>(step.work), data(step.left), to, a, b, threads);
  }
}

template <class T>
void run_slices(const lowered_plan& plan, std::size_t depth, const slice<T>& at, T alpha,
                T* workspace) {
  if (depth == plan.loops().size()) {
    run_steps<T>(plan, at.operands, at.out, alpha, at.beta, workspace);
    return;
  }
  const slice_loop& loop = plan.loops()[depth];
  slice<T> next = at;
  for (std::size_t i = 0; i < loop.size; ++i) {
    run_slices(plan, depth + 1, next, alpha, workspace);
    for (std::size_t o = 0; o < next.operands.size(); ++o) next.operands[o] += loop.steps[o];
    next.out += loop.out_step;
    if (loop.out_step == 0) next.beta = T(1);  // what is summed joins what the first slice wrote
  }
}

}  // namespace

template <class T>
void run(const lowered_plan& plan, std::span<const T* const> operands, T* out, T alpha, T beta) {
  if (plan.device()) return run_on_device<T>(plan, operands, out, alpha, beta);
  if (plan.loops().empty() && plan.workspace_size() == 0)
    return run_steps<T>(plan, operands, out, alpha, beta, nullptr);
  std::unique_ptr<array<std::byte, 1>> memory = plan.take_workspace();
  T* const workspace = reinterpret_cast<T*>(memory->data());
  if (plan.loops().empty())
    run_steps<T>(plan, operands, out, alpha, beta, workspace);
  else
    run_slices<T>(plan, 0, {{operands.begin(), operands.end()}, out, beta}, alpha, workspace);
  plan.give_workspace(std::move(memory));
}

#define PAPILIO_RUN(T) template void run(const lowered_plan&, std::span<const T* const>, T*, T, T);
PAPILIO_RUN(float)
PAPILIO_RUN(double)
PAPILIO_RUN(std::complex<float>)
PAPILIO_RUN(std::complex<double>)

}  // namespace papilio::contract_detail

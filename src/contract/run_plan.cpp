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
void run_slices(const lowered_plan& plan, slice_range slices, std::span<const T* const> operands,
                T* out, T alpha, T beta, T* workspace) {
  std::vector<const T*> at(operands.size());
  for (std::size_t k = slices.first; k < slices.last; ++k) {
    std::ranges::copy(operands, at.begin());
    T* to = out;
    // Labels that are summed count the fastest: the others' slices then join what the first wrote.
    bool is_first = true;
    std::size_t rest = k;
    for (std::size_t depth = plan.loops().size(); depth-- > 0;) {
      const slice_loop& loop = plan.loops()[depth];
      const auto i = static_cast<std::ptrdiff_t>(rest % loop.size);
      rest /= loop.size;
      for (std::size_t o = 0; o < at.size(); ++o) at[o] += i * loop.steps[o];
      to += i * loop.out_step;
      is_first = is_first && (i == 0 || loop.out_step != 0);
    }
    run_steps<T>(plan, at, to, alpha, is_first || k == slices.first ? beta : T(1), workspace);
  }
}

}  // namespace

template <class T>
void run(const lowered_plan& plan, std::span<const T* const> operands, T* out, T alpha, T beta,
         slice_range slices) {
  if (plan.device()) return run_on_device<T>(plan, operands, out, alpha, beta);
  if (plan.loops().empty() && plan.workspace_size() == 0 && slices == slice_range{})
    return run_steps<T>(plan, operands, out, alpha, beta, nullptr);
  std::unique_ptr<array<std::byte, 1>> memory = plan.take_workspace();
  T* const workspace = reinterpret_cast<T*>(memory->data());
  slices.last = std::min(slices.last, plan.slices());
  run_slices<T>(plan, slices, operands, out, alpha, beta, workspace);
  plan.give_workspace(std::move(memory));
}

#define PAPILIO_RUN(T) \
  template void run(const lowered_plan&, std::span<const T* const>, T*, T, T, slice_range);
PAPILIO_RUN(float)
PAPILIO_RUN(double)
PAPILIO_RUN(std::complex<float>)
PAPILIO_RUN(std::complex<double>)

}  // namespace papilio::contract_detail

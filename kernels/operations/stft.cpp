// Short-time transforms and their inverses as operations: kernels, precisions, groups of cores.
#include "papilio/kernels/stft.hpp"

#include "base/padded_place.hpp"
#include "engine/device_memory.hpp"
#include "kernels/groups/division.hpp"
#include "kernels/operations/operations.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {
namespace {

using kernels_detail::divided_work;

using kernels_detail::work_of;

// Samples of a channel from the first segment's begin to the last one's end, padding included.
std::size_t reach_of(const stft_problem& p) { return (p.segments() - 1) * p.hop + p.n_fft; }

// The signals [channels, reach], with the padding of a centred transform before and behind them.
array<float, 2> padded(const stft_problem& p, const engine::launch_input& signals) {
  array<float, 2> given({p.channels, p.samples}, uninitialized);
  engine_detail::gather(signals, reinterpret_cast<std::byte*>(given.data()));
  array<float, 2> longer({p.channels, reach_of(p)}, uninitialized);
  const auto lead = static_cast<std::int64_t>(p.n_fft / 2);
  const auto samples = static_cast<std::int64_t>(p.samples);
  for (std::size_t c = 0; c < p.channels; ++c)
    for (std::size_t t = 0; t < longer.extent(1); ++t) {
      const std::int64_t at =
          base_detail::padded_place(static_cast<std::int64_t>(t) - lead, samples, lead, p.padding);
      longer(c, t) = at == samples ? 0.0F : given(c, static_cast<std::size_t>(at));
    }
  return longer;
}

// Divides channels among the cores; where there are fewer channels than cores, segments. A core's
// segments then have no edges of their own to pad, so the host pads the signals before it copies
// each core its part.
divided_work divided(const stft_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  if (p.adjoint)
    throw device_error("adjoints of short-time transforms are not divided among cores");
  const bool is_padded = p.centre && p.channels < static_cast<std::size_t>(on.cores());
  stft_problem parts = p;
  if (is_padded) {
    parts.centre = false;
    parts.samples = reach_of(p);
  }
  divided_work work =
      work_of({on, kernels::split_stft(parts, on.cores(), on.machine(), precision), mode});
  if (!is_padded) return work;
  work.inputs = {{{static_cast<std::int64_t>(p.channels), static_cast<std::int64_t>(p.samples)}}};
  work.recipe += work.recipe.ends_with('\n') ? "" : "\n";
  work.recipe += "the host pads the signals";
  const engine::tensor_shape longer{
      {static_cast<std::int64_t>(p.channels), static_cast<std::int64_t>(parts.samples)}};
  work.run = [p, mode, longer, run = work.run](const std::vector<engine::launch_input>& in,
                                               const std::vector<engine::launch_output>& out) {
    if (mode == engine::run_mode::dry_run)
      run({longer}, out);
    else
      run({padded(p, in[0])}, out);
  };
  return work;
}

// The modes of both directions. There is no refined mode: it would correct by the inverse
// transform, which does not see errors in spectra that no signal has.
const kernel_modes& modes_of_segments() {
  static const kernel_modes all = modes_in_parts(
      target_choice::kernel, {},
      ": refinements by the inverse would miss errors of spectra that no signal has");
  return all;
}

template <class Problem>
std::string refusal_of(const Problem& p) {
  if constexpr (std::is_same_v<Problem, stft_problem>) {
    if (p.segments() == 0) return "the signal has no segment";
    if (p.pad_end) return "it has no kernel with zeros after the signal (pad_end)";
  }
  return p.two_sided ? "it has no kernel of two-sided spectra" : "";
}

}  // namespace

const operation_row<stft_problem>& row_of(const stft_problem&) {
  static const operation_row<stft_problem> row{
      .name = "stft_kernel",
      .kernel = [](const stft_problem& p, const precision_options& how,
                   const engine::machine_spec& m) { return kernels::stft_kernel(p, m, how); },
      .modes = [](const stft_problem&) -> const kernel_modes& { return modes_of_segments(); },
      .refusal = refusal_of<stft_problem>,
      .divided = divided};
  return row;
}

const operation_row<istft_problem>& row_of(const istft_problem&) {
  static const operation_row<istft_problem> row{
      .name = "istft_kernel",
      .kernel = [](const istft_problem& p, const precision_options& how,
                   const engine::machine_spec& m) { return kernels::istft_kernel(p, m, how); },
      .modes = [](const istft_problem&) -> const kernel_modes& { return modes_of_segments(); },
      .refusal = refusal_of<istft_problem>};
  return row;
}

}  // namespace papilio::operations_detail

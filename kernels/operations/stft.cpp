// Short-time transforms and their inverses as kernels.
#include "papilio/kernels/stft.hpp"

#include "base/padded_place.hpp"
#include "engine/device_memory.hpp"
#include "kernels/operations/operations.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {
namespace {

template <class Problem>
std::string refusal_of_bins(const Problem& p, const precision_options& precision) {
  if (const std::string why = float_only(p.type); !why.empty()) return why;
  if (p.two_sided) return "it has no kernel of two-sided spectra";
  if (precision.target_error > 0) return {};
  if (precision.mode == papilio::precision::bf16_refined)
    return "its precision is native, bf16 or split_bf16: refinements by the inverse miss errors of "
           "spectra that no signal has";
  if (precision.mode == papilio::precision::compensated)
    return "its precision is native, bf16 or split_bf16: it has no compensated products";
  return {};
}

}  // namespace

std::string refusal_of(const stft_problem& p, const precision_options& precision) {
  if (p.segments() == 0) return "the signal has no segment";
  if (p.pad_end) return "it has no kernel with zeros after the signal (pad_end)";
  return refusal_of_bins(p, precision);
}

std::string refusal_of(const istft_problem& p, const precision_options& precision) {
  return refusal_of_bins(p, precision);
}

kernels::sized_kernel kernel_of(const stft_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  return kernels::stft_kernel(p, machine, precision);
}

kernels::sized_kernel kernel_of(const istft_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  return kernels::istft_kernel(p, machine, precision);
}

namespace {

// Samples that the segments reach of each channel, those before its first among them.
std::size_t reach_of(const stft_problem& p) { return (p.segments() - 1) * p.hop + p.n_fft; }

// The signals with what stands before and behind them in a centred transform.
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

}  // namespace

// Of fewer channels than cores the segments are divided; the host pads the signals before, as it
// copies each core its own.
divided_work divided(const stft_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  if (p.adjoint)
    return {.refusal = "adjoints of short-time transforms are not divided among cores"};
  const bool is_padded = p.centre && p.channels < static_cast<std::size_t>(on.cores());
  stft_problem parts = p;
  if (is_padded) {
    parts.centre = false;
    parts.samples = reach_of(p);
  }
  divided_work work =
      work_of(on, kernels::split_stft(parts, on.cores(), on.machine(), precision), mode);
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

}  // namespace papilio::operations_detail

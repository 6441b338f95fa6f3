// Short-time transforms by the cores of a group, each of which has channels or segments.
#include "kernels/groups/division.hpp"
#include "kernels/short_time/short_time.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/stft.hpp"

namespace papilio::kernels {

using base_detail::message;
using namespace engine;

group_split split_stft(const stft_problem& problem, int cores, const machine_spec& machine,
                       const precision_options& precision) {
  if (cores < 1)
    throw invalid_argument(message("split_stft: cores must be at least 1, got ", cores));
  const sized_kernel whole = stft_kernel(problem, machine, precision);
  // The mode is that of the whole: of a part another one may be faster.
  const precision_options mode = kernels_detail::mode_of(
      kernels_detail::design_as<kernels_detail::windowed<kernels_detail::short_time_design>>(
          whole.design)
          ->body.operands);
  const auto channels = std::int64_t(problem.channels);
  const bool by_channels = channels >= cores;
  if (!by_channels && problem.centre)
    throw invalid_argument(message("split_stft: ", channels, " channels on ", cores,
                                   " cores are split by segments: centre must be false, the signal "
                                   "padded before"));
  const std::vector<index_range> ranges =
      even_ranges(by_channels ? channels : std::int64_t(problem.segments()), cores);
  const std::size_t channel_axis = whole.outputs[0].extents.size() - 3;
  kernels_detail::division parts{
      .name = "stft in parts",
      .how = message(by_channels ? "channels" : "segments", " in parts of ", ranges[0].count),
      .ranges = ranges,
      .inputs = {{whole.inputs[0]}},
      .outputs = {{whole.outputs[0], {{channel_axis}}}},
      .kernel_of = [&](const index_range& own) {
        stft_problem part = problem;
        if (by_channels)
          part.channels = std::size_t(own.count);
        else
          part.samples = std::size_t(own.count - 1) * problem.hop + problem.n_fft;
        return stft_kernel(part, machine, mode);
      }};
  if (!by_channels) {
    parts.inputs[0].along = {.axis = 1, .step = std::int64_t(problem.hop)};
    parts.outputs[0].along = {.axis = channel_axis + 1};
  }
  return kernels_detail::divided_by(parts, machine);
}

}  // namespace papilio::kernels

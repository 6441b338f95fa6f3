#include "kernels/stft/split_stft.hpp"

#include <utility>

#include "kernels/design.hpp"
#include "kernels/transform/short_time.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/stft.hpp"

namespace papilio::kernels_detail {

std::string split_stft_design::describe() const {
  return base_detail::message(by_channels ? "channels" : "segments", " in parts of ",
                              kernels::even_ranges(count, cores)[0].count, "\n",
                              kernels.front().explain());
}

}  // namespace papilio::kernels_detail

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
  const std::int64_t segments = std::int64_t(problem.segments());
  const auto channels = std::int64_t(problem.channels), hop = std::int64_t(problem.hop);
  const bool by_channels = channels >= cores;
  kernels_detail::split_stft_design design{
      .by_channels = by_channels, .count = by_channels ? channels : segments, .cores = cores};
  if (!by_channels && problem.centre)
    throw invalid_argument(message("split_stft: ", channels, " channels on ", cores,
                                   " cores are split by segments: centre must be false, the signal "
                                   "padded before"));
  group_split split{.name = "stft in parts",
                    .machine = machine,
                    .inputs = whole.inputs,
                    .outputs = whole.outputs};
  const std::size_t channel_axis = split.outputs[0].extents.size() - 3;
  std::int64_t sized = 0;
  for (const index_range& own : even_ranges(design.count, cores)) {
    core_share& share = split.shares.emplace_back();
    if (own.count == 0) continue;
    stft_problem part = problem;
    if (by_channels)
      part.channels = std::size_t(own.count);
    else
      part.samples = std::size_t(own.count - 1) * problem.hop + problem.n_fft;
    if (own.count != sized) split.kernels.push_back(stft_kernel(part, machine, mode));
    sized = own.count;
    share.kernel = int(split.kernels.size()) - 1;
    tensor_part in{.first = {0, 0}, .extents = split.kernels.back().inputs[0].extents};
    tensor_part out{.first = std::vector<std::int64_t>(split.outputs[0].extents.size(), 0),
                    .extents = split.kernels.back().outputs[0].extents};
    if (by_channels) {
      in.first[0] = out.first[channel_axis] = own.first;
    } else {
      in.first[1] = own.first * hop;
      out.first[channel_axis + 1] = own.first;
    }
    share.inputs = {std::move(in)};
    share.outputs = {std::move(out)};
  }
  for (const sized_kernel& k : split.kernels) design.kernels.push_back(k.design);
  split.design = kernels_detail::design_of(std::move(design));
  return split;
}

}  // namespace papilio::kernels

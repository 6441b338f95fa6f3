#include <algorithm>

#include "kernels/design.hpp"
#include "kernels/fft/fft_design.hpp"
#include "kernels/fft/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels {
namespace {

using base_detail::message;
using namespace engine;

// The longest of the extents before all transformed ones. Splitting there changes no design: an
// axis is cut by its length and by what follows it.
std::size_t batch_axis(const fft_problem& problem) {
  const std::size_t first = std::ranges::min(problem.axes);
  if (first < 1)
    throw invalid_argument(message("split_fft: axis 0 of ", problem.extents.size(),
                                   " extents is transformed: there is no batch to split"));
  const auto begin = problem.extents.begin();
  return std::size_t(std::max_element(begin, begin + std::ptrdiff_t(first)) - begin);
}

// Even ranges of an axis, with a kernel for each size.
struct split_fft_design {
  std::size_t axis = 0;
  std::int64_t count = 1;
  int cores = 1;
  std::vector<kernel_design> kernels = {};

  auto fields() const { return std::tie(axis, count, cores, kernels); }
  std::string describe() const {
    return message("axis ", axis, ": ", count, " in parts of ", (count + cores - 1) / cores,
                   ", on ", std::min<std::int64_t>(cores, count), " of ", cores, " cores\n",
                   kernels.front().explain());
  }
};

}  // namespace

group_split split_fft(const fft_problem& problem, int cores, const machine_spec& machine,
                      const fft_kernel_options& of_whole) {
  if (cores < 1)
    throw invalid_argument(message("split_fft: cores must be at least 1, got ", cores));
  kernels_detail::check_problem("fft_kernel", problem, of_whole);
  fft_kernel_options options = of_whole;
  kernels_detail::check_precision("split_fft", options.precision);
  // The mode is that of the whole: of a part another one may be faster.
  if (options.precision.target_error > 0)
    options.precision = problem.is_trigonometric()
                            ? precision_options{}
                            : kernels_detail::cheapest_fft(problem, options, machine).mode;
  const sized_kernel whole = fft_kernel(problem, machine, options);
  if (options.whole_elements == 0 && problem.is_complex())
    options.whole_elements = whole.inputs[0].elements() / 2;
  const std::size_t axis = batch_axis(problem);
  group_split split{
      .name = "fft by batch", .machine = machine, .inputs = whole.inputs, .outputs = whole.outputs};
  const auto count = std::int64_t(problem.extents[axis]);
  std::int64_t sized = 0;  // of the kernel made last: ranges of one size follow each other
  for (const index_range& range : even_ranges(count, cores)) {
    core_share& share = split.shares.emplace_back();
    if (range.count == 0) continue;
    if (range.count != sized) {
      fft_problem part = problem;
      sized = range.count;
      part.extents[axis] = std::size_t(sized);
      split.kernels.push_back(sized == count ? whole : fft_kernel(part, machine, options));
    }
    share.kernel = int(split.kernels.size()) - 1;
    // Planes of complex numbers come before the extents.
    const auto part_of = [&](const tensor_shape& shape) {
      tensor_part place{.first = std::vector<std::int64_t>(shape.extents.size(), 0),
                        .extents = shape.extents};
      place.first[axis + shape.extents.size() - problem.extents.size()] = range.first;
      return place;
    };
    share.inputs = {part_of(split.kernels.back().inputs[0])};
    share.outputs = {part_of(split.kernels.back().outputs[0])};
  }
  split_fft_design design{axis, count, cores};
  for (const sized_kernel& kernel : split.kernels) design.kernels.push_back(kernel.design);
  split.design = kernels_detail::design_of(std::move(design));
  return split;
}

group_times time_split_fft(const fft_problem& problem, int cores, const machine_spec& machine,
                           const runtime_spec& runtime, const group_options& how_group,
                           const fft_kernel_options& options) {
  group_split split = split_fft(problem, cores, machine, options);
  device_group group(machine, runtime, cores, how_group);
  const prepared_split prepared(group, std::move(split), run_mode::dry_run);
  prepared.run({launch_input(prepared.what().inputs[0])},
               {launch_output(prepared.what().outputs[0])});
  group_times times = times_of(group.report(), cores);
  times.explanation = prepared.what().explain();
  return times;
}

}  // namespace papilio::kernels

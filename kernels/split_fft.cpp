#include <algorithm>

#include "kernels/fft/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels {
namespace {

using base_detail::message;
using namespace engine;

// The longest of the extents before all transformed ones. Splitting there changes no design: an
// axis is cut by its length and by what follows it.
std::size_t batch_axis(const fft_shape& shape) {
  const int rank = int(shape.extents.size());
  int first = shape.axes.empty() ? 0 : rank;
  for (const int a : shape.axes) first = std::min(first, a < 0 ? a + rank : a);
  if (first < 1)
    throw invalid_argument(message("split_fft: axis 0 of ", rank,
                                   " extents is transformed: there is no batch to split"));
  return std::size_t(std::max_element(shape.extents.begin(), shape.extents.begin() + first) -
                     shape.extents.begin());
}

}  // namespace

group_split split_fft(const fft_shape& of, int cores, const machine_spec& machine) {
  if (cores < 1)
    throw invalid_argument(message("split_fft: cores must be at least 1, got ", cores));
  fft_shape shape = of;
  kernels_detail::check_precision("split_fft", shape.precision);
  // The mode is that of the whole: of a part another one may be faster.
  if (shape.precision.target_error > 0)
    shape.precision = kernels_detail::cheapest_fft(shape, machine).mode;
  const sized_kernel whole = fft_kernel(shape, machine);
  if (shape.whole_elements == 0) shape.whole_elements = whole.inputs[0].elements() / 2;
  const std::size_t axis = batch_axis(shape);
  group_split split{
      .name = "fft by batch", .machine = machine, .inputs = whole.inputs, .outputs = whole.outputs};
  const std::int64_t count = shape.extents[axis];
  std::int64_t sized = 0;  // of the kernel made last: ranges of one size follow each other
  for (const index_range& range : even_ranges(count, cores)) {
    core_share& share = split.shares.emplace_back();
    if (range.count == 0) continue;
    if (range.count != sized) {
      fft_shape part = shape;
      part.extents[axis] = sized = range.count;
      split.kernels.push_back(range.count == count ? whole : fft_kernel(part, machine));
    }
    share.kernel = int(split.kernels.size()) - 1;
    tensor_part place{.first = std::vector<std::int64_t>(shape.extents.size() + 1, 0),
                      .extents = split.kernels.back().inputs[0].extents};
    place.first[axis + 1] = range.first;
    share.inputs = share.outputs = {place};
  }
  split.explanation = message("axis ", axis, ": ", count, " in parts of ",
                              split.kernels.front().inputs[0].extents[axis + 1], ", on ",
                              std::min<std::int64_t>(cores, count), " of ", cores, " cores\n",
                              split.kernels.front().explanation);
  return split;
}

group_times time_split_fft(const fft_shape& shape, int cores, const machine_spec& machine,
                           const runtime_spec& runtime, const group_options& options) {
  group_split split = split_fft(shape, cores, machine);
  device_group group(machine, runtime, cores, options);
  const prepared_split prepared(group, std::move(split), run_mode::dry_run);
  prepared.run({launch_input(prepared.what().inputs[0])},
               {launch_output(prepared.what().outputs[0])});
  group_times times = times_of(group.report(), cores);
  times.explanation = prepared.what().explanation;
  return times;
}

}  // namespace papilio::kernels

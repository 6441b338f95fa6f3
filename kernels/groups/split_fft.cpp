#include <algorithm>

#include "kernels/groups/division.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/precision.hpp"
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
  const auto count = std::int64_t(problem.extents[axis]);
  // Planes of complex numbers come before the extents.
  const auto axis_in = [&](const tensor_shape& shape) {
    return kernels_detail::divided_axis{axis + shape.extents.size() - problem.extents.size()};
  };
  return kernels_detail::divided_by(
      {.name = "fft by batch",
       .how = message("axis ", axis, ": ", count, " in parts of ", (count + cores - 1) / cores,
                      ", on ", std::min<std::int64_t>(cores, count), " of ", cores, " cores"),
       .ranges = even_ranges(count, cores),
       .inputs = {{whole.inputs[0], axis_in(whole.inputs[0])}},
       .outputs = {{whole.outputs[0], axis_in(whole.outputs[0])}},
       .kernel_of =
           [&](const index_range& range) {
             fft_problem part = problem;
             part.extents[axis] = std::size_t(range.count);
             return range.count == count ? whole : fft_kernel(part, machine, options);
           }},
      machine);
}

group_times time_split_fft(const fft_problem& problem, int cores, const machine_spec& machine,
                           const runtime_spec& runtime, const group_options& how_group,
                           const fft_kernel_options& options) {
  return kernels_detail::times_of(cores, machine, runtime, how_group, [&](device_group& on) {
    return kernels_detail::work_of(
        {on, split_fft(problem, cores, machine, options), run_mode::dry_run});
  });
}

}  // namespace papilio::kernels

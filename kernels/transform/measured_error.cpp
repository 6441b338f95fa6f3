#include "papilio/kernels/measured_error.hpp"

#include <algorithm>
#include <complex>
#include <span>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "kernels/measured_run.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::roots_of_unity;

constexpr std::int64_t points_most = std::int64_t{1} << 15;  // of all lines, where they are more

/// A transform in double, output by output.
class direct_sums {
 public:
  direct_sums(const fft_problem& problem, double scale, std::span<const float> planar)
      : extents_(kernels_detail::extents_of(problem)),
        axes_(kernels_detail::transformed_axes(problem)),
        inverse_(problem.is_inverse()),
        scale_(scale),
        re_(planar.first(planar.size() / 2)),
        im_(planar.last(planar.size() / 2)),
        strides_(extents_.size()) {
    base_detail::set_row_major(extents_, strides_);
    for (const std::size_t a : axes_) roots_.emplace_back(std::size_t(extents_[a]));
  }

  std::complex<double> operator()(std::int64_t output) const {
    std::vector<std::int64_t> frequency;
    std::int64_t first = output;
    for (const std::size_t a : axes_) {
      frequency.push_back(output / strides_[a] % extents_[a]);
      first -= frequency.back() * strides_[a];
    }
    return scale_ * sum(0, first, frequency);
  }

 private:
  // The sum over the transformed axes from the given one on.
  std::complex<double> sum(std::size_t axis, std::int64_t at,
                           const std::vector<std::int64_t>& frequency) const {
    if (axis == axes_.size()) return {re_[std::size_t(at)], im_[std::size_t(at)]};
    const std::int64_t n = extents_[axes_[axis]], stride = strides_[axes_[axis]];
    std::complex<double> all = 0;
    for (std::int64_t j = 0, exponent = 0; j < n; ++j) {
      const std::complex<double> root = roots_[axis](std::size_t(exponent));
      all += (inverse_ ? std::conj(root) : root) * sum(axis + 1, at + j * stride, frequency);
      exponent += frequency[axis];
      if (exponent >= n) exponent -= n;
    }
    return all;
  }

  std::vector<std::int64_t> extents_;
  std::vector<std::size_t> axes_;
  bool inverse_;
  double scale_;
  std::span<const float> re_, im_;
  std::vector<std::int64_t> strides_;
  std::vector<roots_of_unity<double>> roots_;
};

// The transform of fewer lines, of at most points_most points in all.
fft_problem with_fewer_lines(fft_problem problem, const std::vector<std::size_t>& axes,
                             std::int64_t points) {
  auto lines = std::size_t(std::max<std::int64_t>(1, points_most / points));
  for (std::size_t a = 0; a < problem.extents.size(); ++a) {
    if (std::ranges::find(axes, a) != axes.end()) continue;
    problem.extents[a] = std::min(problem.extents[a], lines);
    lines /= problem.extents[a];
  }
  return problem;
}

}  // namespace

measured_error measure_error(const fft_problem& problem, const machine_spec& machine,
                             const fft_kernel_options& options) {
  fft_kernel_options chosen = options;
  measured_error measured;
  kernels_detail::check_problem("fft_kernel", problem, options);
  if (!problem.is_complex())
    throw invalid_argument(
        base_detail::message("measure_error: kind must be complex, got ", to_string(problem.kind)));
  if (options.precision.target_error > 0) {
    kernels_detail::check_precision("fft_kernel", options.precision);
    const auto [mode, kernel] = kernels_detail::cheapest_fft(problem, options, machine);
    chosen.precision = mode;
    measured.expected = kernel.expected_error;
  } else {
    measured.expected = fft_kernel(problem, machine, options).expected_error;
  }
  measured.mode = chosen.precision;
  const std::vector<std::size_t> axes = kernels_detail::transformed_axes(problem);
  std::int64_t points = 1;
  for (const std::size_t a : axes) points *= std::int64_t(problem.extents[a]);
  const fft_problem some = with_fewer_lines(problem, axes, points);
  const sized_kernel sized = fft_kernel(some, machine, chosen);
  const std::int64_t all = sized.inputs[0].elements() / 2;
  base_detail::splitmix64 random(1);
  const std::vector<float> in = kernels_detail::random_values(2 * all, random),
                           out = kernels_detail::output_of(sized, machine, in);
  measured.lines = all / points;
  measured.outputs = kernels_detail::compared_outputs(all, points);
  const direct_sums exact(some, kernels_detail::scale_of(some, options), in);
  const auto got = [&](std::int64_t at) {
    return std::complex<double>(out[std::size_t(at)], out[std::size_t(all + at)]);
  };
  measured.achieved = kernels_detail::achieved_error(all, measured.outputs, random, got, exact);
  return measured;
}

}  // namespace papilio::kernels

// Measures the errors of short-time transforms against direct sums in double.
#include <algorithm>
#include <complex>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "kernels/design.hpp"
#include "kernels/measured_run.hpp"
#include "kernels/short_time/inverse_short_time.hpp"
#include "kernels/short_time/short_time.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/measured_error.hpp"
#include "papilio/kernels/stft.hpp"

namespace papilio::kernels {
namespace {

using engine::machine_spec;

constexpr std::size_t points_most = std::size_t{1} << 15;

// The mode is that of the whole problem: for the part that is measured another may be the fastest.
template <class Design>
measured_error of_whole(const sized_kernel& whole) {
  const auto* design = kernels_detail::design_as<kernels_detail::windowed<Design>>(whole.design);
  return {.mode = kernels_detail::mode_of(design->body.operands), .expected = whole.expected_error};
}

double weight(const std::vector<float>& window, std::size_t j) {
  return window.empty() ? 1 : double(window[j]);
}

}  // namespace

measured_error measure_error(const stft_problem& problem, const machine_spec& machine,
                             const precision_options& precision) {
  if (problem.adjoint) throw invalid_argument("measure_error: stft_problem: adjoint must be false");
  measured_error m =
      of_whole<kernels_detail::short_time_design>(stft_kernel(problem, machine, precision));
  stft_problem part = problem;
  const std::size_t n = part.n_fft,
                    segments = std::clamp<std::size_t>(points_most / n, 1, problem.segments());
  part.channels = 1;
  part.samples = (segments - 1) * part.hop + n;
  part.centre = false;
  part.result = spectrum_form::complex;
  part.mel.clear();
  base_detail::splitmix64 random(1);
  const std::vector<float> x = kernels_detail::random_values(std::int64_t(part.samples), random),
                           y = kernels_detail::output_of(stft_kernel(part, machine, m.mode),
                                                         machine, x);
  const base_detail::roots_of_unity<double> roots(n);
  const std::size_t all = y.size() / 2;
  m.lines = std::int64_t(segments);
  m.outputs = kernels_detail::compared_outputs(std::int64_t(all), std::int64_t(n));
  m.achieved = kernels_detail::achieved_error(
      std::int64_t(all), m.outputs, random,
      [&](std::int64_t at) {
        return std::complex<double>(y[std::size_t(at)], y[all + std::size_t(at)]);
      },
      [&](std::int64_t at) {
        const std::size_t s = std::size_t(at) / part.bins(), k = std::size_t(at) % part.bins();
        std::complex<double> sum = 0;
        for (std::size_t j = 0; j < n; ++j)
          sum += weight(part.window, j) * double(x[s * part.hop + j]) * roots(j * k % n);
        return part.halved_ends && (k == 0 || 2 * k == n) ? 0.5 * sum : sum;
      });
  return m;
}

measured_error measure_error(const istft_problem& problem, const machine_spec& machine,
                             const precision_options& precision) {
  if (problem.first != 0)
    throw invalid_argument(
        base_detail::message("measure_error: istft_problem: first must be 0, got ", problem.first));
  measured_error m = of_whole<kernels_detail::inverse_short_time_design>(
      istft_kernel(problem, machine, precision));
  istft_problem part = problem;
  const std::size_t n = part.n_fft, hop = part.hop;
  part.channels = 1;
  part.segments = std::min(part.segments, std::max(points_most / n, 2 * (n / hop + 2)));
  // Samples that segments beyond this part overlap are left out.
  if (part.segments < problem.segments)
    part.samples = std::min(part.samples, (part.segments - 1) * hop);
  base_detail::splitmix64 random(1);
  const std::size_t bins = part.bins(), plane = part.segments * bins;
  const std::vector<float> y = kernels_detail::random_values(std::int64_t(2 * plane), random),
                           x = kernels_detail::output_of(istft_kernel(part, machine, m.mode),
                                                         machine, y);
  const base_detail::roots_of_unity<double> roots(n);
  const auto inverse = [&](std::size_t segment, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < bins; ++k) {
      const bool is_alone = k == 0 || 2 * k == n;
      const std::complex<double> root = roots(j * k % n);
      const double re = y[segment * bins + k], im = y[plane + segment * bins + k];
      const double halved = !is_alone || !part.halved_ends ? 1 : part.adjoint ? 0.5 : 2;
      sum += halved * (is_alone || part.adjoint ? 1 : 2) *
             (re * root.real() + (is_alone ? 0 : im * root.imag()));
    }
    return part.adjoint ? sum : sum / double(n);
  };
  m.lines = std::int64_t(part.segments);
  m.outputs =
      kernels_detail::compared_outputs(std::int64_t(part.samples), std::int64_t(n * (n / hop + 1)));
  m.achieved = kernels_detail::achieved_error(
      std::int64_t(part.samples), m.outputs, random,
      [&](std::int64_t t) { return std::complex<double>(x[std::size_t(t)]); },
      [&](std::int64_t t) {
        const std::size_t at = std::size_t(t) + (part.centre ? n / 2 : 0);
        double sum = 0, squares = 0;
        for (std::size_t s = at < n ? 0 : (at - n) / hop + 1; s < part.segments && s * hop <= at;
             ++s) {
          const double w = weight(part.window, at - s * hop);
          sum += w * inverse(s, at - s * hop);
          squares += w * w;
        }
        return std::complex<double>(part.adjoint ? sum : sum / squares);
      });
  return m;
}

}  // namespace papilio::kernels

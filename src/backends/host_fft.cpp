// papilio's own plans as a candidate.
#include <algorithm>
#include <cmath>

#include "backends/candidates.hpp"
#include "backends/host_executors.hpp"
#include "backends/host_model.hpp"
#include "backends/recipe_cost.hpp"
#include "fft/design.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::backends_detail {

bool is_inverse(fft_kind kind) {
  return kind == fft_kind::complex_inverse || kind == fft_kind::real_inverse ||
         kind == fft_kind::cosine_inverse || kind == fft_kind::sine_inverse;
}

bool is_trigonometric(fft_kind kind) { return kind >= fft_kind::cosine_forward; }

fft_options host_options(const fft_problem& p) {
  const normalization by_count =
      is_inverse(p.kind) ? normalization::backward : normalization::forward;
  const normalization norm = p.scaling == fft_scaling::none      ? normalization::none
                             : p.scaling == fft_scaling::by_root ? normalization::orthonormal
                                                                 : by_count;
  return {.norm = norm, .plan_effort = p.measured ? effort::measure : effort::estimate};
}

namespace {

std::string refusal(const fft_problem& p) {
  if (p.type == real_type::extended_precision) return "there are no plans in long double";
  const bool is_dct1 = is_trigonometric(p.kind) && p.trigonometric_type == 1 &&
                       (p.kind == fft_kind::cosine_forward || p.kind == fft_kind::cosine_inverse);
  if (is_dct1 && p.extents[0] < 2) return "a cosine transform of type 1 has at least 2 points";
  return {};
}

bool is_real(const fft_problem& p) {
  return p.kind == fft_kind::real_forward || p.kind == fft_kind::real_inverse;
}

// What lines along axes[i] run. A cosine or sine transform is reckoned as a real one of its length.
recipe design_of(const fft_problem& p, std::size_t i) {
  const std::size_t n = p.extents[p.axes[i]];
  const bool halved = is_trigonometric(p.kind) || (is_real(p) && i + 1 == p.axes.size());
  if (!halved) return fft_detail::design(n);
  recipe r{recipe_kind::real, n, {}, {}};
  r.parts.push_back(fft_detail::design(n % 2 == 0 ? n / 2 : n));
  return r;
}

fft_estimate estimate(const fft_problem& p, std::size_t lines) {
  const host_model& host = this_host();
  fft_estimate total;
  // From the real side on, one axis of the spectrum is half as long.
  const bool is_half = is_real(p);
  double elements = static_cast<double>(lines), variance = 0;
  for (std::size_t e : p.extents) elements *= static_cast<double>(e);
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    const recipe r = design_of(p, i);
    const recipe_cost cost = cost_of(r);
    const bool is_short = is_half && i + 1 < p.axes.size();
    const double n = static_cast<double>(r.n), done = elements / n / (is_short ? 2 : 1);
    const double line_bytes = n * 2 * static_cast<double>(bytes_of(p.type));
    const double flops = cost.flops * done, bytes = 2 * cost.passes * line_bytes * done;
    // The passes of one line stay where one line fits; the first and the last see the whole.
    const double between =
        modelled_seconds(host, p.type, flops, bytes, 3 * line_bytes + 2 * line_bytes);
    const double ends =
        modelled_seconds(host, p.type, 0, 2 * line_bytes * done, 2 * line_bytes * done);
    total.recipe.append(i == 0 ? "" : " ").append(to_string(r));
    total.passes += static_cast<std::size_t>(std::ceil(cost.passes));
    total.bytes_moved += bytes;
    total.flops += flops;
    total.seconds += std::max(between, ends) + host.call_seconds * done;
    // Rounding errors of the stages add up in quadrature; a convolution runs twice the stages.
    const bool convolves = r.kind == recipe_kind::bluestein ||
                           (!r.parts.empty() && r.parts[0].kind == recipe_kind::bluestein);
    variance += std::log2(2 * n) * (convolves ? 4 : 1);
  }
  total.relative_error = 0.3 * epsilon_of(p.type) * std::sqrt(variance);
  return total;
}

std::unique_ptr<const fft_executor> build(const fft_problem& p) {
  if (is_trigonometric(p.kind)) return build_host_trigonometric(p);
  return p.is_line() ? build_host_line(p) : build_host_grid(p);
}

}  // namespace

fft_candidate host_fft() { return {"host", "", true, refusal, estimate, build}; }

}  // namespace papilio::backends_detail

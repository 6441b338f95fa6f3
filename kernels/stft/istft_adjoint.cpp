// Adjoint of the inverse short-time transform in one program. The inverse is
//   x[t] = sum over s of w[j] y_s[j] / sum of w^2, j = t - first(s), y_s the inverse transform
// of segment s with 1 / n, in which bins that stand for their mirror images count twice: so
//   G[s, k] = c / n sum over j of w[j] u[first(s) + j] W^(j k), u[t] = g[t] / sum of w^2,
// c = 2, of the bins that are their own mirror images 1 (of a transform that halves them 2).
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/elementwise/pointwise.hpp"
#include "kernels/entries.hpp"
#include "kernels/fft/error_model.hpp"
#include "kernels/fft/precision.hpp"
#include "kernels/stage_list.hpp"
#include "kernels/stft/stft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/rearrange.hpp"
#include "papilio/kernels/stft.hpp"

namespace papilio::kernels_detail {

using base_detail::message;
using engine::machine_spec;
using kernels::sized_kernel;

namespace {

std::size_t lead_of(const stft_problem& s) { return s.centre ? s.n_fft / 2 : 0; }
std::size_t reach_of(const stft_problem& s) {
  const char* const what = "istft_vjp: samples that the segments reach";
  return checked_add(checked_multiply(s.segments() - 1, s.hop, what), s.n_fft, what);
}

// Of the segments that reach a sample.
double sum_of_squares(const stft_problem& s, std::size_t sample) {
  const std::size_t at = sample + lead_of(s);
  const std::size_t last = std::min(s.segments() - 1, at / s.hop);
  double sum = 0;
  for (std::size_t segment = at < s.n_fft ? 0 : (at - s.n_fft) / s.hop + 1; segment <= last;
       ++segment) {
    const double w = s.window.empty() ? 1 : double(s.window[at - segment * s.hop]);
    sum += w * w;
  }
  return sum;
}

// Beyond the first samples and the last ones, sums repeat from hop to hop.
void require_covered(const stft_problem& s) {
  if (s.samples + lead_of(s) > reach_of(s))
    throw shape_error(message("istft_vjp: ", s.segments(), " segments reach ",
                              std::max(reach_of(s), lead_of(s)) - lead_of(s),
                              " samples, there are ", s.samples));
  double largest = 0;
  for (const float w : s.window) largest = std::max(largest, double(w) * double(w));
  const std::size_t ends = s.n_fft + s.hop;
  for (std::size_t t = 0; t < s.samples; ++t) {
    if (t == ends && s.samples > 2 * ends) t = s.samples - ends;
    if (!(sum_of_squares(s, t) > 1e-10 * largest))
      throw invalid_argument(message("istft_vjp: sample ", t,
                                     " is not covered: its sum of squared window weights is at "
                                     "most 1e-10 of the largest, ",
                                     largest));
  }
}

sized_kernel division(const stft_problem& s, const machine_spec& machine) {
  formula f;
  const auto x = f.input(one_for::element);
  f.output(x * f.input(one_for::feature));
  return with_table(
      pointwise_kernel("division", std::int64_t(s.channels), std::int64_t(s.samples), f.program(),
                       square_root(2 * rounding_squared_error()), machine),
      "2 / n over sums of w^2", [s](std::span<float> t) {
        const double scale = 2 / double(s.n_fft);
        for (std::size_t i = 0; i < t.size(); ++i) t[i] = float(scale / sum_of_squares(s, i));
      });
}

}  // namespace

sized_kernel istft_adjoint(const stft_problem& s, const machine_spec& machine,
                           const precision_options& precision) {
  require_covered(s);
  stft_problem plain = s;
  plain.adjoint = false;
  plain.inverted_segments = 0;
  plain.halved_ends = !s.halved_ends;
  const bool is_padded = plain.segments() != s.segments();
  if (is_padded) {
    plain.centre = false;
    plain.samples = reach_of(s);
  }
  sized_kernel transform = kernels::stft_kernel(plain, machine, precision);
  stage_list list("istft_vjp");
  const stage_tensor in = list.input({{std::int64_t(s.channels), std::int64_t(s.samples)}}),
                     out = list.output(transform.outputs[0]);
  const stage_tensor divided = list.between(std::int64_t(s.channels * s.samples));
  list.add("division", division(s, machine), {in}, {divided});
  stage_tensor positions = divided;
  if (is_padded) {
    positions = list.between(std::int64_t(s.channels * plain.samples));
    list.add(
        "zeros",
        kernels::rearrange_kernel({.in_extents = {s.channels, s.samples},
                                   .out_extents = {s.channels, plain.samples},
                                   .boxes = {{{0, 0}, {0, lead_of(s)}, {s.channels, s.samples}}}},
                                  machine),
        {divided}, {positions});
  }
  list.add("transform", std::move(transform), {positions}, {out});
  return list.kernel(machine);
}

kernels::catalog_entry istft_vjp_entry() {
  using namespace kernels;
  return {.name = "istft_vjp",
          .summary = "Gradient through an inverse STFT, centred, Hann window: samples to bins",
          .parameters =
              joined({{.name = "samples", .preset = "16000", .help = "Samples of each channel"},
                      {.name = "n_fft", .preset = "512", .help = "Points of a segment"},
                      {.name = "hop", .preset = "256", .help = "Samples between segments"},
                      {.name = "channels", .preset = "1", .help = "Signals"}},
                     product_precision_parameters()),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            stft_problem s{.channels = size_of(values, "channels"),
                           .samples = size_of(values, "samples"),
                           .n_fft = size_of(values, "n_fft"),
                           .hop = size_of(values, "hop")};
            const precision_options precision = precision_in(values, "istft_vjp");
            stft_kernel(s, machine);  // sizes are refused before a window of them is made
            s.window = hann(std::int64_t(s.n_fft));
            s.inverted_segments = s.segments();
            s.adjoint = true;
            return stft_kernel(s, machine, precision);
          }};
}

}  // namespace papilio::kernels_detail

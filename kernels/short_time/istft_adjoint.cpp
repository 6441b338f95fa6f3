// Adjoint of the inverse short-time transform in one program. The inverse is
//   x[t] = sum over s of w[j] y_s[j] / sum of w^2, j = t - first(s),
// where y_s is the inverse transform of segment s with 1 / n, in which inner bins count twice,
// since they stand for their mirror images. Its adjoint is therefore a short-time transform of u:
//   G[s, k] = c / n sum over j of w[j] u[first(s) + j] W^(j k), u[t] = g[t] / sum of w^2,
// with c = 2 for inner bins and 1 for bins 0 and n/2 (2 if the transform halves these).
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/elementwise/pointwise.hpp"
#include "kernels/entries.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "kernels/short_time/stretches.hpp"
#include "kernels/stage_list.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/precision.hpp"
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

// The result of the inverse, in stretches of one hop.
stretches samples_of(const stft_problem& s, const machine_spec& machine) {
  stretches r{.n = std::int64_t(s.n_fft),
              .hop = std::int64_t(s.hop),
              .quotient = std::int64_t(lead_of(s) / s.hop),
              .rest = std::int64_t(lead_of(s) % s.hop),
              .samples = std::int64_t(s.samples),
              .segments = std::int64_t(s.segments())};
  take_stretches(r, 1, machine);
  return r;
}

sized_kernel quotients(const stft_problem& s, const stretches& r, const std::vector<float>& window,
                       const machine_spec& machine) {
  formula f;
  const auto x = f.input(one_for::element);
  f.output(x * f.input(one_for::feature));
  return with_table(
      pointwise_kernel("division", std::int64_t(s.channels), std::int64_t(s.samples), f.program(),
                       square_root(2 * rounding_squared_error()), machine),
      "2 / n over sums of w^2", [r, window](std::span<float> t) {
        for (std::int64_t i = 0; i < r.samples; ++i)
          t[std::size_t(i)] =
              float(2 / double(r.n) / r.sum_of_squares(window, i / r.width(), i % r.width()));
      });
}

}  // namespace

sized_kernel istft_adjoint(const stft_problem& s, const machine_spec& machine,
                           const precision_options& precision) {
  if (s.samples + lead_of(s) > reach_of(s))
    throw shape_error(message("istft_vjp: ", s.segments(), " segments reach ",
                              std::max(reach_of(s), lead_of(s)) - lead_of(s),
                              " samples, there are ", s.samples));
  const std::vector<float> window = s.window.empty() ? std::vector<float>(s.n_fft, 1.0F) : s.window;
  const stretches summed = samples_of(s, machine);
  require_covered("istft_vjp", summed, window, 0);
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
  list.add("division", quotients(s, summed, window, machine), {in}, {divided});
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

namespace {

struct istft_vjp_request : stft_problem, precision_options {
  stft_problem problem(const machine_spec& machine) const {
    stft_problem s = *this;
    kernels::stft_kernel(s, machine);  // sizes are refused before a window of them is made
    s.window = hann(std::int64_t(n_fft));
    s.inverted_segments = segments();
    s.adjoint = true;
    return s;
  }
};

}  // namespace

kernels::catalog_entry istft_vjp_entry() {
  kernels::catalog_entry entry = short_time_entry<istft_vjp_request>(
      "istft_vjp", "Gradient through an inverse STFT, centred, Hann window: samples to bins",
      kernels::stft_kernel, {});
  entry.measure = {};
  return entry;
}

}  // namespace papilio::kernels_detail

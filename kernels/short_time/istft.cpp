// Checks and named runs of the inverse short-time transform, which
// kernels/short_time/inverse_short_time.hpp makes.
#include "papilio/kernels/stft.hpp"

#include <algorithm>
#include <utility>

#include "kernels/entries.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/short_time/inverse_short_time.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::message;
using kernels_detail::stretches;

constexpr std::size_t most_samples = std::size_t{1} << 48;

void validate(const istft_problem& s, const precision_options& precision) {
  for (const auto& [name, value] :
       {std::pair("channels", s.channels), std::pair("segments", s.segments),
        std::pair("samples", s.samples), std::pair("n_fft", s.n_fft), std::pair("hop", s.hop)})
    if (value < 1)
      throw invalid_argument(message("istft: ", name, " must be at least 1, got ", value));
  s.require_valid("istft");
  kernels_detail::require_finite("istft: window", s.window);
  if (std::max({s.samples, s.first, s.n_fft, s.hop, s.segments}) > most_samples ||
      s.segments > most_samples / s.hop)
    throw resource_error(message("istft: samples, first, n_fft and segments x hop must be at most ",
                                 most_samples, ", got ", s.samples, ", ", s.first, ", ", s.n_fft,
                                 " and ", s.segments, " x ", s.hop));
  kernels_detail::check_precision("istft", precision);
  if (const std::string why = operations_detail::refusal_of(s, precision); !why.empty())
    throw invalid_argument(message("istft: ", why));
}

// Number of samples that the segments begin before the result does.
std::int64_t lead_of(const istft_problem& s) {
  return std::int64_t((s.centre ? s.n_fft / 2 : 0) + s.first);
}

sized_kernel istft_in_mode(const istft_problem& s, const precision_options& precision,
                           const machine_spec& machine) {
  const auto segments = std::int64_t(s.segments), samples = std::int64_t(s.samples),
             n = std::int64_t(s.n_fft), step = std::int64_t(s.hop);
  std::int64_t lead = lead_of(s);
  const std::int64_t reach = (segments - 1) * step + n - lead;
  if (samples > reach && !s.adjoint)
    throw shape_error(message("istft: ", s.segments, " segments reach ",
                              std::max<std::int64_t>(0, reach), " samples from first = ", s.first,
                              ", asked for ", s.samples));
  kernels_detail::inverse_short_time_design d{
      .formula = {.real = true, .transposed = true, .scale = s.adjoint ? 1 : 1 / double(n)},
      .result = {.n = n, .samples = samples, .segments = segments, .is_weighted = !s.adjoint},
      .operands = kernels_detail::operands_of(precision),
      .channels = std::int64_t(s.channels),
      .given = segments};
  stretches& r = d.result;
  r.hop = step;
  if (step > n && !s.adjoint) {
    // Gaps between segments are covered by none: the result must lie within one segment.
    d.begin = std::min(lead / step, d.given - 1);
    r.segments = 1;
    lead -= d.begin * step;
    r.hop = n;
  }
  r.quotient = lead / r.hop;
  r.rest = lead % r.hop;
  kernels_detail::take_stretches(r, 1, machine);
  kernels_detail::require_room(d, machine);
  // The inverse doubles the ends that a transform has halved; an adjoint counts every bin once.
  const kernels_detail::inverse_short_time_values values{
      .window = s.window.empty() ? std::vector<float>(s.n_fft, 1.0F) : s.window,
      .ends = !s.halved_ends ? 1
              : s.adjoint    ? 0.5
                             : 2,
      .others = s.adjoint ? 0.5 : 1};
  if (!s.adjoint) require_covered("istft", r, values.window, std::int64_t(s.first));
  return inverse_short_time_kernel(d, values, s.halved_ends, machine);
}

}  // namespace

sized_kernel istft_kernel(const istft_problem& s, const machine_spec& machine,
                          const precision_options& precision) {
  validate(s, precision);
  return operations_detail::in_mode(
             "istft", precision, operations_detail::modes_of_products,
             [&](const precision_options& mode) { return istft_in_mode(s, mode, machine); },
             machine)
      .kernel;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

namespace {

struct istft_request : istft_problem, precision_options {
  istft_problem problem(const engine::machine_spec& machine) const {
    istft_problem s = *this;
    s.segments = samples / hop + 1;
    kernels::istft_kernel(s, machine);  // sizes are refused before a window of them is made
    s.window = hann(std::int64_t(n_fft));
    return s;
  }
};

}  // namespace

kernels::catalog_entry istft_entry() {
  using r = istft_request;
  return short_time_entry<r>("istft",
                             "Inverse or adjoint STFT by overlap-add, centred, Hann window",
                             kernels::istft_kernel,
                             {choice_setting("form", &r::adjoint, "Inverse of stft, or its adjoint",
                                             {{"inverse", false}, {"adjoint", true}})});
}

}  // namespace papilio::kernels_detail

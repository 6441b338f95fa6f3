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

istft_problem named_istft(const kernels::parameter_values& values,
                          const engine::machine_spec& machine) {
  using namespace kernels;
  istft_problem s{.channels = size_of(values, "channels"),
                  .samples = size_of(values, "samples"),
                  .n_fft = size_of(values, "n_fft"),
                  .hop = size_of(values, "hop"),
                  .adjoint = values.at("form") == "adjoint"};
  s.segments = s.samples / s.hop + 1;
  istft_kernel(s, machine);  // sizes are refused before a window of them is made
  s.window = hann(std::int64_t(s.n_fft));
  return s;
}

}  // namespace

kernels::catalog_entry istft_entry() {
  using namespace kernels;
  return {.name = "istft",
          .summary = "Inverse or adjoint STFT by overlap-add, centred, Hann window",
          .parameters =
              joined({{.name = "samples", .preset = "16000", .help = "Samples of each channel"},
                      {.name = "n_fft", .preset = "512", .help = "Points of a segment"},
                      {.name = "hop", .preset = "256", .help = "Samples between segments"},
                      {.name = "channels", .preset = "1", .help = "Signals"},
                      {.name = "form",
                       .preset = "inverse",
                       .help = "Inverse of stft, or its adjoint",
                       .choices = {"inverse", "adjoint"}}},
                     product_precision_parameters()),
          .size =
              [](const parameter_values& values, const engine::machine_spec& machine) {
                return istft_kernel(named_istft(values, machine), machine,
                                    precision_in(values, "istft"));
              },
          .measure = [](const parameter_values& values,
                        const engine::machine_spec& machine) -> std::optional<measured_error> {
            const precision_options precision = precision_in(values, "istft");
            if (precision.target_error == 0) return std::nullopt;
            return measure_error(named_istft(values, machine), machine, precision);
          }};
}

}  // namespace papilio::kernels_detail

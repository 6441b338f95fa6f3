// Time that short-time transforms are expected to take on the host.
#include <algorithm>
#include <cmath>

#include "dispatch/host_model.hpp"
#include "fft/design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/fft/recipe.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/transform/candidate.hpp"
#include "transform/recipe_cost.hpp"

namespace papilio {
namespace {

using namespace dispatch_detail;

double real_bytes(real_type type) { return static_cast<double>(size_of(type)); }

struct segments {
  double count;       ///< of all channels
  double bins;        ///< of each
  double flops;       ///< of all transforms and windows
  double line_bytes;  ///< a segment, its bins, and as much again for scratch and tables
};

// Returns the additions and multiplications of a real transform of n points; inverse ones count the
// same.
double real_transform_flops(std::size_t n, bool lanes) {
  return transform_detail::cost_of(
             fft_detail::real_design(
                 n, [&](std::size_t m) { return fft_detail::split_design(m, lanes); }))
      .flops;
}

segments segments_of(const char* function, double samples, double channels, std::size_t n_fft,
                     double hop, real_type type) {
  require_some(function, "samples", samples);
  require_some(function, "channels", channels);
  require_some(function, "n_fft", static_cast<double>(n_fft));
  require_some(function, "hop", hop);
  const auto n = static_cast<double>(n_fft);
  const double count = channels * (1 + std::floor(samples / hop)), bins = std::floor(n / 2) + 1;
  const bool lanes = type != real_type::extended_precision;
  return {.count = count,
          .bins = bins,
          .flops = count * (n + real_transform_flops(n_fft, lanes)),
          .line_bytes = 2 * (n + 2 * bins) * real_bytes(type)};
}

}  // namespace

host_work stft_work(double samples, double channels, std::size_t n_fft, double hop,
                    spectrum_form form, real_type type) {
  const segments s = segments_of("stft_work", samples, channels, n_fft, hop, type);
  // A power is re^2 + im^2, and a magnitude its root.
  const bool is_complex = form == spectrum_form::complex;
  const double bin_flops = is_complex ? 0 : form == spectrum_form::magnitude ? 4 : 3;
  const double reals = is_complex ? 2 : 1;
  const double bytes = (channels * samples + reals * s.count * s.bins) * real_bytes(type);
  return {.kind = host_work_kind::fft,
          .flops = s.flops + bin_flops * s.count * s.bins,
          .bytes_moved = bytes,
          .working_bytes = bytes,
          .line_bytes = s.line_bytes,
          .lines = s.count};
}

host_work istft_work(double samples, double channels, std::size_t n_fft, double hop,
                     real_type type) {
  const segments s = segments_of("istft_work", samples, channels, n_fft, hop, type);
  const double bytes = (channels * samples + 2 * s.count * s.bins) * real_bytes(type);
  return {.kind = host_work_kind::fft,
          // Each windowed point is added to the sum, which is divided by that of the windows.
          .flops = s.flops + s.count * static_cast<double>(n_fft) + channels * samples,
          .bytes_moved = bytes,
          .working_bytes = bytes,
          .line_bytes = s.line_bytes,
          .lines = s.count};
}

namespace {

double real_count(std::size_t n) { return static_cast<double>(n); }

// Estimates the transform of one segment.
fft_estimate segment(std::size_t n_fft, direction dir, real_type type) {
  return host_fft_estimate(current_host(),
                           {.kind = fft_kind::real, .dir = dir, .type = type, .extents = {n_fft}});
}

host_estimate estimate_of(const stft_problem& p, const execution& on) {
  const fft_estimate one = segment(p.n_fft, direction::forward, p.type);
  host_work work = stft_work(real_count(p.samples), real_count(p.channels), p.n_fft,
                             real_count(p.hop), p.result, p.type);
  // The host's filterbanks leave out weights of 0.
  const auto weights = p.mel.size() - static_cast<std::size_t>(std::ranges::count(p.mel, 0.0F));
  work.flops += 2 * real_count(p.channels) * real_count(p.segments()) * real_count(weights);
  return estimate_of_work(p, p.type, work, on, one.recipe, one.relative_error);
}

host_estimate estimate_of(const istft_problem& p, const execution& on) {
  const fft_estimate one = segment(p.n_fft, direction::inverse, p.type);
  const host_work work =
      istft_work(real_count(p.samples), real_count(p.channels), p.n_fft, real_count(p.hop), p.type);
  return estimate_of_work(p, p.type, work, on, one.recipe, one.relative_error);
}

template <class Other>
host_estimate estimate_of(const Other& p, const execution& on) {
  return host_transforms().estimate(p, on);
}

host_estimate estimate(const operation& what, const execution& on) {
  return std::visit([&](const auto& p) { return estimate_of(p, on); }, what);
}

}  // namespace

const host_row& host_signals() {
  static const host_row row{host_transforms().backends, estimate};
  return row;
}

comparison explain(const stft_problem& problem, const execution& on) {
  return explain(problem, on, host_signals());
}
comparison explain(const istft_problem& problem, const execution& on) {
  return explain(problem, on, host_signals());
}

}  // namespace papilio

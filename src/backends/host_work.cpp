#include <cmath>

#include "backends/host_model.hpp"
#include "backends/recipe_cost.hpp"
#include "fft/design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio {
namespace {

using backends_detail::bytes_of;

// NaN included.
void require_some(const char* function, const char* size, double value) {
  if (!(value > 0))
    throw invalid_argument(
        base_detail::message(function, ": ", size, " must be above 0, got ", value));
}

double real_bytes(real_type type) { return static_cast<double>(bytes_of(type)); }

struct segments {
  double count;       ///< of all channels
  double bins;        ///< of each
  double flops;       ///< of all transforms and windows
  double line_bytes;  ///< a segment, its bins, and as much again for scratch and tables
};

// Additions and multiplications of a real transform of n points; inverse ones count the same.
double real_transform_flops(std::size_t n, bool lanes) {
  recipe r{recipe_kind::real, n, {}, {}};
  r.parts.push_back(fft_detail::design(n % 2 == 0 ? n / 2 : n, lanes));
  return backends_detail::cost_of(r).flops;
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

host_work gemm_work(double m, double k, double n, double batch, bool is_complex, real_type type) {
  require_some("gemm_work", "m", m);
  require_some("gemm_work", "k", k);
  require_some("gemm_work", "n", n);
  require_some("gemm_work", "batch", batch);
  const double bytes = batch * (m * k + k * n + m * n) * (is_complex ? 2 : 1) * real_bytes(type);
  return {.kind = host_work_kind::gemm,
          .flops = (is_complex ? 8 : 2) * batch * m * n * k,
          .bytes_moved = bytes,
          .working_bytes = bytes,
          .calls = batch};
}

host_work complex_mask_work(double points, real_type type) {
  require_some("complex_mask_work", "points", points);
  const double bytes = 3 * points * 2 * real_bytes(type);
  return {.kind = host_work_kind::elementwise,
          .flops = 6 * points,
          .bytes_moved = bytes,
          .working_bytes = bytes};
}

host_work copy_work(double elements, double element_bytes, bool is_rearranged) {
  require_some("copy_work", "elements", elements);
  require_some("copy_work", "element_bytes", element_bytes);
  const double bytes = 2 * elements * element_bytes;
  return {.kind = is_rearranged ? host_work_kind::rearrangement : host_work_kind::elementwise,
          .bytes_moved = bytes,
          .working_bytes = bytes};
}

host_work stft_work(double samples, double channels, std::size_t n_fft, double hop,
                    stft_output output, real_type type) {
  const segments s = segments_of("stft_work", samples, channels, n_fft, hop, type);
  // re^2 + im^2, and a root.
  const double bin_flops = output == stft_output::complex_bins ? 0
                           : output == stft_output::powers     ? 3
                                                               : 4;
  const double reals = output == stft_output::complex_bins ? 2 : 1;
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

}  // namespace papilio

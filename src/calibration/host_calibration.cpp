// Measures this computer: what host_from_features() only supposes.
#include "calibration/host_calibration.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <vector>

#include "base/lines.hpp"
#include "calibration/host_bandwidth.hpp"
#include "calibration/host_kernels.hpp"
#include "calibration/host_steadiness.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/signal/mask.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::calibration {
namespace {

template <class T>
double peak_flops_per_second(double (*kernel)(std::size_t, T*), double seconds) {
  T sink = 1;
  double flops = 0;
  const double taken = best_seconds(seconds, thread_seconds, [&] { flops = kernel(20000, &sink); });
  return flops / taken;
}

/// Of `lines` complex transforms of n points in one call, on zeros.
double fft_seconds(real_type type, std::size_t n, std::size_t lines, double seconds) {
  const fft_problem problem{.type = type, .extents = {n}};
  const auto executor = fft_candidates().front().build(problem);
  const std::array<std::size_t, 2> extents{lines, n};
  const std::array<std::ptrdiff_t, 2> strides{static_cast<std::ptrdiff_t>(n), 1};
  array<unsigned char, 1> in(2 * size_of(type) * lines * n), out(in.size());
  return best_seconds(seconds, thread_seconds, [&] {
    executor->execute({in.data(), extents, strides}, {out.data(), extents, strides}, 1, 1);
  });
}

double fft_flops(std::size_t n, real_type type = real_type::single_precision) {
  return host_fft_estimate(host_from_features(), {.type = type, .extents = {n}}).flops;
}

constexpr std::size_t longest_line = std::size_t{1} << 22;

/// Up to three powers of two, from the shortest to the longest, whose lines take more than `above`
/// bytes and at most `bytes`, with result, scratch and tables.
std::vector<std::size_t> lengths_between(double above, double bytes, real_type type) {
  std::vector<std::size_t> all;
  for (std::size_t n = 64; n <= longest_line; n *= 2) {
    const double line_bytes = 8 * static_cast<double>(n * size_of(type));
    if (line_bytes > above && line_bytes <= bytes) all.push_back(n);
  }
  if (all.size() <= 3) return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

/// The geometric mean over the lengths; 0 where there are none.
double fft_rate(const host_model& host, const std::vector<std::size_t>& lengths, real_type type,
                time_budget& time) {
  double sum = 0;
  for (const std::size_t n : lengths) {
    const double taken = fft_seconds(type, n, 1, time.share(1));
    sum += std::log(fft_flops(n) / std::max(taken - host.call_seconds, taken / 4));
  }
  return lengths.empty() ? 0 : std::exp(sum / static_cast<double>(lengths.size()));
}

void measure_transforms(host_model& host, double seconds) {
  time_budget time(seconds, 27);  // three lengths of four levels and two types, and three more
  host.call_seconds = fft_seconds(real_type::single_precision, 16, 1, time.share(1));
  constexpr double beyond = 1e300;
  host_level* const levels[] = {&host.l1, &host.l2, &host.l3, &host.memory};
  for (const real_type type : {real_type::single_precision, real_type::double_precision}) {
    double above = 0;
    const host_level* before = nullptr;
    for (host_level* const level : levels) {
      const bool is_last = level == &host.memory;
      const double bytes = is_last ? beyond : level->capacity_bytes;
      double rate = fft_rate(host, lengths_between(above, bytes, type), type, time);
      double host_level::*const field = type == real_type::single_precision
                                            ? &host_level::float_fft_flops_per_second
                                            : &host_level::double_fft_flops_per_second;
      // No line reached it: as much slower as copying is.
      if (rate == 0 && before != nullptr)
        rate = before->*field *
               std::min(1.0, level->core_bytes_per_second / before->core_bytes_per_second);
      if (rate > 0) level->*field = rate;
      above = bytes;
      before = level;
    }
  }
  constexpr std::size_t middling = 1024;
  host.extended_flops_per_second =
      fft_flops(middling, real_type::extended_precision) /
      fft_seconds(real_type::extended_precision, middling, 1, time.share(1));
  constexpr std::size_t lines = 1000;
  const double batch = fft_seconds(real_type::single_precision, 16, lines, time.share(1));
  const double computing = lines * fft_flops(16) / host.l1.float_fft_flops_per_second;
  host.line_seconds = std::max(0.0, batch - host.call_seconds - computing) / lines;
}

constexpr std::size_t matrix_side = 256;  // [256, 256] complex floats are 512 KiB

using matrix = view<std::complex<float>, 2>;
using const_matrix = view<const std::complex<float>, 2>;

double mask_bytes_per_second(double seconds) {
  array<std::complex<float>, 2> a({matrix_side, matrix_side}), b({matrix_side, matrix_side}),
      out({matrix_side, matrix_side});
  const double taken = best_seconds(seconds, thread_seconds, [&] {
    apply_mask<float, 2>(const_matrix(a), const_matrix(b), matrix(out));
  });
  return 3 * matrix_side * matrix_side * sizeof(std::complex<float>) / taken;
}

double transposition_bytes_per_second(double seconds) {
  array<std::complex<float>, 2> in({matrix_side, matrix_side}), out({matrix_side, matrix_side});
  const const_matrix turned(in.data(), {matrix_side, matrix_side}, {1, matrix_side});
  const matrix to(out);
  const double taken = best_seconds(seconds, thread_seconds, [&] {
    base_detail::copy_strided<std::complex<float>>(untyped_view<const void>(turned),
                                                   untyped_view<void>(to), 1);
  });
  return 2 * matrix_side * matrix_side * sizeof(std::complex<float>) / taken;
}

/// Of what copying reaches at the level that holds the operands.
void measure_elements(host_model& host, double seconds) {
  const double three_matrices = 3 * matrix_side * matrix_side * sizeof(std::complex<float>);
  const double copied = three_matrices <= host.l2.capacity_bytes ? host.l2.core_bytes_per_second
                                                                 : host.l3.core_bytes_per_second;
  host.elementwise_bandwidth_share = mask_bytes_per_second(seconds / 2) / copied;
  host.rearrangement_bandwidth_share = transposition_bytes_per_second(seconds / 2) / copied;
}

/// The geometric mean over sides and types.
double gemm_peak_share(const host_model& host, const gemm_maker& make_gemm, double seconds) {
  constexpr std::array<std::size_t, 3> sides{128, 256, 512};
  double sum = 0;
  time_budget time(seconds, 2 * sides.size());
  for (const real_type type : {real_type::single_precision, real_type::double_precision})
    for (const std::size_t side : sides) {
      const std::function<void()> run = make_gemm(type, side);
      const double peak = type == real_type::single_precision ? host.float_peak_flops_per_second
                                                              : host.double_peak_flops_per_second;
      const auto n = static_cast<double>(side);
      sum += std::log(2 * n * n * n / best_seconds(time.share(1), thread_seconds, run) / peak);
    }
  return std::exp(sum / (2 * sides.size()));
}

std::string today() {
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  return text;
}

}  // namespace

host_model calibrate_host(double seconds, const gemm_maker& make_gemm,
                          host_steadiness* steadiness) {
  if (!(seconds > 0 && seconds <= 600))
    throw invalid_argument(base_detail::message(
        "calibrate_host: seconds must be above 0 and at most 600, got ", seconds));
  host_model host = host_from_features();
  time_budget time(seconds, 2 + 2 + 5 + 30 + 45 + 5 + 10);
  steadiness_probe probe(host.cores, std::clamp(seconds / 100, 2e-3, 20e-3));
  probe.run();
  host.float_peak_flops_per_second = peak_flops_per_second(multiply_add_float, time.share(2));
  host.double_peak_flops_per_second = peak_flops_per_second(multiply_add_double, time.share(2));
  const auto cores = static_cast<std::size_t>(host.cores);
  host.thread_start_seconds = best_seconds(
      time.share(5), wall_seconds, [&] { parallel_for(cores, host.cores, [](std::size_t) {}); });
  probe.run();
  measure_copying(host, time.share(30));
  probe.run();
  measure_transforms(host, time.share(45));
  probe.run();
  measure_elements(host, time.share(make_gemm ? 5 : 15));
  if (make_gemm) host.gemm_peak_share = gemm_peak_share(host, make_gemm, time.share(10));
  probe.run();
  host.measured_on = today();
  if (steadiness != nullptr) *steadiness = probe.found();
  return host;
}

}  // namespace papilio::calibration

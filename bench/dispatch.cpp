// What dispatch costs: the design of shapes that were never seen under policy::automatic, and the
// host's path through transform beside the plan itself.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine/environment.hpp"
#include "papilio/fft.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/transform.hpp"

namespace {

using namespace papilio;
using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

// Of this process: what a design takes on an idle computer, whatever else runs on this one.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

operation fft_of(std::vector<std::size_t> extents, std::vector<std::size_t> axes,
                 fft_kind kind = fft_kind::complex, direction dir = direction::forward) {
  return fft_problem{.kind = kind,
                     .dir = dir,
                     .type = real_type::single_precision,
                     .extents = std::move(extents),
                     .axes = std::move(axes)};
}

std::vector<operation> shapes() {
  const std::size_t ten_minutes = 26460000;
  return {fft_of({4096, 1024}, {1}),
          fft_of({128, 1024}, {1}),
          fft_of({65536, 1024}, {1}),
          fft_of({1000, 1000}, {1}),
          fft_of({16384, 256}, {1}),
          fft_of({64, 16384}, {1}),
          fft_of({256, 65536}, {1}),
          fft_of({1 << 16}, {0}),
          fft_of({1 << 20}, {0}),
          fft_of({1 << 24}, {0}),
          fft_of({1000000}, {0}),
          fft_of({4097}, {0}),
          fft_of({8191}, {0}),
          fft_of({65537}, {0}),
          fft_of({1000003}, {0}),
          fft_of({1000, 8191}, {1}),
          fft_of({1024, 1024}, {0, 1}),
          fft_of({4096, 4096}, {0, 1}),
          fft_of({1000, 1000}, {0, 1}),
          fft_of({256, 256, 256}, {0, 1, 2}),
          fft_of({512, 512, 512}, {0, 1, 2}),
          fft_of({4096, 1024}, {1}, fft_kind::real),
          fft_of({4096, 1024}, {1}, fft_kind::real, direction::inverse),
          fft_of({1 << 20}, {0}, fft_kind::real),
          fft_of({4096, 4096}, {0, 1}, fft_kind::real),
          stft_problem{.samples = 16000, .n_fft = 512, .hop = 256},
          stft_problem{.samples = ten_minutes, .result = spectrum_form::magnitude},
          stft_problem{.samples = ten_minutes},
          istft_problem{.segments = 1 + ten_minutes / 512, .samples = ten_minutes},
          product_problem{std::size_t{1} << 26},
          gemm_problem{.m = 512, .k = 512, .n = 512},
          gemm_problem{.m = 1000, .k = 1000, .n = 1000},
          gemm_problem{.m = 2048, .k = 2048, .n = 2048},
          gemm_problem{.m = 4096, .k = 4096, .n = 4096},
          gemm_problem{.m = 8192, .k = 8192, .n = 8192},
          gemm_problem{.m = 2048, .k = 2048, .n = 2048, .is_complex = true},
          gemm_problem{.m = 4096, .k = 4096, .n = 4096, .is_complex = true},
          gemm_problem{.batch = 64, .m = 1024, .k = 1024, .n = 1024},
          gemm_problem{.batch = 1000, .m = 128, .k = 128, .n = 128}};
}

void report_designs() {
  const auto device = make_device("", "");
  const device_backend& backend = backend_of("bench", *device);
  std::printf("design of a shape never seen, ms of processor time (of wall time)\n%-52s%20s%20s\n",
              "", "estimate", "automatic");
  double worst = 0;
  for (const operation& what : shapes()) {
    auto start = clock_type::now();
    double cpu = cpu_seconds();
    const device_estimate e = backend.estimate(what, {}, *device);
    const double estimate_cpu = cpu_seconds() - cpu, estimate = seconds_since(start);
    const auto fresh = make_device("", "");
    start = clock_type::now();
    cpu = cpu_seconds();
    const bool on_device =
        place("bench", what, {.where = policy::automatic, .on = fresh.get(), .threads = 1},
              host_signals());
    const double automatic_cpu = cpu_seconds() - cpu, automatic = seconds_since(start);
    worst = std::max(worst, automatic_cpu);
    std::printf("%-52s%10.2f (%7.2f)%10.2f (%7.2f)  %s (%.4g ms modelled)\n",
                to_string(what).c_str(), estimate_cpu * 1e3, estimate * 1e3, automatic_cpu * 1e3,
                automatic * 1e3, on_device ? "device" : "host", e.seconds() * 1e3);
    std::fflush(stdout);
  }
  std::printf("slowest under automatic %.2f ms of processor time\n\n", worst * 1e3);
}

template <class Run>
double nanoseconds(const Run& run, int calls) {
  const auto start = clock_type::now();
  for (int i = 0; i < calls; ++i) run();
  return seconds_since(start) * 1e9 / calls;
}

void report_host_path(std::size_t n) {
  array<std::complex<float>, 1> x(extents_type<1>{n}), y(extents_type<1>{n});
  const view<const std::complex<float>, 1> in = std::as_const(x).view();
  const std::span<const std::complex<float>> from(x.data(), n);
  const std::span<std::complex<float>> to(y.data(), n);
  const fft_plan<float> plan(n);
  const int calls = static_cast<int>(std::max<std::size_t>(20, 100000 / n));
  std::vector<double> direct, axis, whole;
  for (int i = 0; i < 3; ++i) fft(in, y.view());
  for (int i = 0; i < 61; ++i) {
    direct.push_back(nanoseconds([&] { plan.execute(from, to); }, calls));
    axis.push_back(nanoseconds([&] { plan.execute_axis(in, y.view(), 0); }, calls));
    whole.push_back(nanoseconds([&] { fft(in, y.view()); }, calls));
  }
  const double d = median(direct), a = median(axis), w = median(whole);
  std::printf("%6zu%14.1f%14.1f%14.1f%14.1f%14.1f\n", n, d, a, w, w - d, w - a);
}

}  // namespace

int main() {
  report_designs();
  std::printf("%6s%14s%14s%14s%14s%14s\n", "n", "execute ns", "execute_axis", "fft", "over execute",
              "over axis");
  for (const std::size_t n : {8, 16, 32, 64, 128, 256, 512, 1024}) report_host_path(n);
}

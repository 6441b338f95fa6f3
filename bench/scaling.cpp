// papilio and threaded FFTW on 1, 2, 4, ... threads: wall time, in turns.
#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "peer.hpp"

namespace papilio::bench {
namespace {

using complex = std::complex<float>;

constexpr const char* usage = R"(usage: papilio_bench_scaling [THREADS] [--alone]

Times long lines, 2-D, 3-D and batches of complex floats on 1, 2, 4, ... threads, up to THREADS (all
cores without it), beside FFTW (MEASURE within 3 s) with as many: wall time, medians of rounds in
turns. speed-up: over one thread of the same library.

  --alone  without FFTW
)";

struct fftw_deleter {
  void operator()(fftwf_plan plan) const { fftwf_destroy_plan(plan); }
};
using fftw_transform = std::unique_ptr<std::remove_pointer_t<fftwf_plan>, fftw_deleter>;

fftwf_complex* of_fftw(complex* p) { return reinterpret_cast<fftwf_complex*>(p); }

// Lines of batch, or one array of several extents.
struct scaling_case {
  std::string name;
  std::vector<int> extents;
  std::size_t batch = 1;

  std::size_t points() const {
    std::size_t n = 1;
    for (const int extent : extents) n *= static_cast<std::size_t>(extent);
    return n;
  }
  double flop() const {
    const auto n = static_cast<double>(points());
    return 5 * n * std::log2(n) * static_cast<double>(batch);
  }
};

std::function<void(int)> ours_of(const scaling_case& c, complex* in, complex* out) {
  const std::size_t n = c.points();
  if (c.extents.size() == 1 && c.batch == 1)
    return [=, plan = fft_plan<float>(n)](int threads) {
      plan.execute_parallel({in, n}, {out, n}, threads);
    };
  if (c.extents.size() == 1)
    return [=, plan = fft_plan<float>(n), batch = c.batch](int threads) {
      plan.execute_batch(view<const complex, 2>(in, {batch, n}), view<complex, 2>(out, {batch, n}),
                         threads);
    };
  const auto run = [&]<std::size_t Rank>() -> std::function<void(int)> {
    extents_type<Rank> extents;
    std::copy_n(c.extents.begin(), Rank, extents.begin());
    return [=, plan = fftn_plan<float>({extents.begin(), extents.end()})](int threads) {
      plan.template execute<Rank>(view<const complex, Rank>(in, extents),
                                  view<complex, Rank>(out, extents), threads);
    };
  };
  return c.extents.size() == 2 ? run.operator()<2>() : run.operator()<3>();
}

fftw_transform fftw_of(const scaling_case& c, complex* in, complex* out, int threads) {
  fftwf_plan_with_nthreads(threads);
  const auto rank = static_cast<int>(c.extents.size()), points = static_cast<int>(c.points());
  return fftw_transform(fftwf_plan_many_dft(rank, c.extents.data(), static_cast<int>(c.batch),
                                            of_fftw(in), nullptr, 1, points, of_fftw(out), nullptr,
                                            1, points, FFTW_FORWARD, FFTW_MEASURE));
}

double seconds_of(const std::function<void()>& run) {
  const double start = wall_seconds();
  run();
  return wall_seconds() - start;
}

void print_rows(const scaling_case& c, int most_threads, bool alone) {
  const std::size_t count = c.points() * c.batch;
  array<complex, 1> in(count), out(count), fftw_out(count);
  const auto ours = ours_of(c, in.data(), out.data());
  double our_one = 0, fftw_one = 0;
  for (int threads = 1; threads <= most_threads; threads *= 2) {
    const fftw_transform fftw = alone ? nullptr : fftw_of(c, in.data(), fftw_out.data(), threads);
    for (std::size_t i = 0; i < count; ++i)
      in.data()[i] = {static_cast<float>(i % 7) - 3, static_cast<float>(i % 5)};
    ours(threads);
    if (fftw) fftwf_execute(fftw.get());
    std::vector<double> our_seconds, fftw_seconds;
    for (int round = 0; round < 9; ++round) {
      our_seconds.push_back(seconds_of([&] { ours(threads); }));
      if (fftw) fftw_seconds.push_back(seconds_of([&] { fftwf_execute(fftw.get()); }));
    }
    const double us = median(our_seconds);
    if (threads == 1) our_one = us;
    std::printf("%-12s %3d %12.3f %8.1f %9.2f", c.name.c_str(), threads, 1e3 * us,
                1e-9 * c.flop() / us, our_one / us);
    if (fftw) {
      const double them = median(fftw_seconds);
      if (threads == 1) fftw_one = them;
      std::printf(" %9.2f %7.2f", fftw_one / them, them / us);
    }
    std::putchar('\n');
    std::fflush(stdout);
  }
}

std::vector<scaling_case> all_cases() {
  std::vector<scaling_case> cases;
  for (int e = 14; e <= 24; e += 2) cases.push_back({"2^" + std::to_string(e), {1 << e}});
  for (const int n : {512, 2048, 4096}) cases.push_back({std::to_string(n) + "^2", {n, n}});
  for (const int n : {128, 256, 512}) cases.push_back({std::to_string(n) + "^3", {n, n, n}});
  for (const auto& [batch, n] :
       {std::pair<std::size_t, int>{4096, 1024}, {65536, 256}, {1000, 4410}})
    cases.push_back({std::to_string(batch) + '*' + std::to_string(n), {n}, batch});
  return cases;
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  using namespace papilio::bench;
  int most = static_cast<int>(std::thread::hardware_concurrency());
  bool alone = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::fputs(usage, stdout);
      return 0;
    }
    if (argument == "--alone") {
      alone = true;
      continue;
    }
    most = std::atoi(argv[i]);
    if (most < 1 || most > 1024) {
      std::fprintf(stderr, "papilio_bench_scaling: THREADS: from 1 to 1024, got %s\n%s",
                   argument.c_str(), usage);
      return 2;
    }
  }
  fftwf_init_threads();
  fftwf_set_timelimit(3);
  std::printf("%-12s %3s %12s %8s %9s%s\n", "size", "T", "papilio ms", "GFLOPS", "speed-up",
              alone ? "" : "    FFTW's of FFTW");
  for (const scaling_case& c : all_cases()) print_rows(c, most, alone);
}

// c2c forward, out of place, one thread: papilio beside FFTW MEASURE in one process, in turns.
//   build/bench/papilio_bench_fft --benchmark_filter='c2c_float/.*'
// GFLOPS by the 5 n log2 n convention; ratio = FFTW's time / ours.
#include <benchmark/benchmark.h>
#include <fftw3.h>

#include <cmath>
#include <complex>
#include <random>
#include <type_traits>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "peer.hpp"

namespace {

template <class T>
class fftw_peer {
 public:
  fftw_peer(std::size_t n, std::complex<T>* in, std::complex<T>* out) {
    const int length = static_cast<int>(n);
    if constexpr (std::is_same_v<T, float>) {
      fftwf_set_timelimit(10);
      plan_ = fftwf_plan_dft_1d(length, reinterpret_cast<fftwf_complex*>(in),
                                reinterpret_cast<fftwf_complex*>(out), FFTW_FORWARD, FFTW_MEASURE);
    } else {
      fftw_set_timelimit(10);
      plan_ = fftw_plan_dft_1d(length, reinterpret_cast<fftw_complex*>(in),
                               reinterpret_cast<fftw_complex*>(out), FFTW_FORWARD, FFTW_MEASURE);
    }
  }
  void operator()() const {
    if constexpr (std::is_same_v<T, float>) {
      fftwf_execute(plan_);
    } else {
      fftw_execute(plan_);
    }
  }

 private:
  std::conditional_t<std::is_same_v<T, float>, fftwf_plan, fftw_plan> plan_;
};

template <class T>
void c2c(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  papilio::array<std::complex<T>, 1> in(n), out(n);
  const fftw_peer<T> peer(n, in.data(), out.data());
  const papilio::fft_plan<T> plan(n);
  papilio::array<std::complex<T>, 1> scratch(plan.scratch_size());
  std::mt19937 generator(1);
  std::normal_distribution<T> normal;
  for (auto& x : in) x = {normal(generator), normal(generator)};
  papilio::bench::comparison last{};
  for (auto _ : state) {
    last =
        papilio::bench::compare([&] { plan.execute(in.flat(), out.flat(), scratch.flat()); }, peer);
    state.SetIterationTime(last.ours_seconds);
  }
  const double flop = 5 * static_cast<double>(n) * std::log2(static_cast<double>(n)) * 1e-9;
  state.counters["GFLOPS"] = flop / last.ours_seconds;
  state.counters["fftw_GFLOPS"] = flop / last.peer_seconds;
  state.counters["ratio"] = last.peer_seconds / last.ours_seconds;
  state.SetLabel(to_string(plan.design()));
}

void sizes(benchmark::internal::Benchmark* b) {
  for (int e = 4; e <= 20; ++e) b->Arg(std::int64_t{1} << e);
  for (const int n :
       {60, 120, 480, 1000, 1536, 1920, 4410, 10000, 44100, 48000, 17, 127, 997, 10007})
    b->Arg(n);
  b->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond);
}

BENCHMARK(c2c<float>)->Name("c2c_float")->Apply(sizes);
BENCHMARK(c2c<double>)->Name("c2c_double")->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();

// Magnitudes of 10 minutes of mono sound in memory, n_fft 2048, hop 512, no centring, one thread:
// stft_plan beside FFTW (MEASURE) with plain loops for window and magnitude, in turns. Medians of
// quiet runs, see peer.hpp.
//   build/release/bench/papilio_bench_stft [RUNS]
#include <fftw3.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "peer.hpp"

namespace {

constexpr std::size_t n = 2048, hop = 512, bins = n / 2 + 1;

class fftw_loop {
 public:
  explicit fftw_loop(std::span<const float> window)
      : window_(window),
        in_(fftwf_alloc_real(n)),
        out_(fftwf_alloc_complex(bins)),
        plan_(fftwf_plan_dft_r2c_1d(n, in_, out_, FFTW_MEASURE)) {}
  void run(const float* signal, std::size_t segments, float* magnitudes) const {
    for (std::size_t s = 0; s < segments; ++s, signal += hop, magnitudes += bins) {
      for (std::size_t j = 0; j < n; ++j) in_[j] = signal[j] * window_[j];
      fftwf_execute(plan_);
      for (std::size_t k = 0; k < bins; ++k)
        magnitudes[k] = std::sqrt(out_[k][0] * out_[k][0] + out_[k][1] * out_[k][1]);
    }
  }

 private:
  std::span<const float> window_;
  float* in_;
  fftwf_complex* out_;
  fftwf_plan plan_;
};

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::size_t samples = std::size_t{44100} * 600;
  papilio::array<float, 1> signal(samples);
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float& x : signal) x = uniform(generator);
  const papilio::stft_plan<float> plan({.n_fft = n, .hop = hop, .centre = false});
  const auto segments = static_cast<std::size_t>(plan.segments(samples));
  papilio::array<float, 2> ours({segments, bins}), theirs({segments, bins});
  const fftw_loop peer(plan.window());
  const auto ours_run = [&] { plan.execute_magnitude(signal.flat(), ours); };
  const auto peer_run = [&] { peer.run(signal.data(), segments, theirs.data()); };
  const auto t = papilio::bench::compare(ours_run, peer_run,
                                         {.blocks = runs, .least_blocks = runs, .seconds = 600});
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < ours.flat().size(); ++i) {
    const double a = ours.flat()[i], b = theirs.flat()[i];
    worst = std::max(worst, std::abs(a - b));
    largest = std::max(largest, b);
  }
  std::printf(
      "%zu segments of %zu: papilio %.3f s, FFTW loop %.3f s, ratio %.2f%s; largest difference "
      "%.1e "
      "of %.1f\n",
      segments, n, t.first_seconds, t.second_seconds, t.first_seconds / t.second_seconds,
      t.is_quiet ? "" : " (not quiet)", worst, largest);
}

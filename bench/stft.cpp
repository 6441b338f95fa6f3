// 10 minutes of mono sound in memory, n_fft 2048, hop 512, one thread: magnitudes without centring,
// stft_plan beside FFTW (MEASURE) with plain loops for window and magnitude; and back from spectra,
// istft_plan beside FFTW with plain loops for window, sum and weights. In turns, medians of quiet
// runs, see peer.hpp.
//   build/release/bench/papilio_bench_stft [RUNS]
#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
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

class fftw_inverse_loop {
 public:
  explicit fftw_inverse_loop(std::span<const float> window)
      : window_(window),
        in_(fftwf_alloc_complex(bins)),
        out_(fftwf_alloc_real(n)),
        plan_(fftwf_plan_dft_c2r_1d(n, in_, out_, FFTW_MEASURE)) {}
  // Sums and weights of (segments - 1) hop + n samples.
  void run(const std::complex<float>* spectra, std::size_t segments, std::span<float> sums,
           std::span<float> weights) const {
    std::ranges::fill(sums, 0.0f);
    std::ranges::fill(weights, 0.0f);
    for (std::size_t s = 0; s < segments; ++s) {
      std::copy_n(spectra + s * bins, bins, reinterpret_cast<std::complex<float>*>(in_));
      fftwf_execute(plan_);
      float *const sum = sums.data() + s * hop, *const weight = weights.data() + s * hop;
      for (std::size_t j = 0; j < n; ++j) {
        sum[j] += out_[j] * window_[j];
        weight[j] += window_[j] * window_[j];
      }
    }
    for (std::size_t j = 0; j < sums.size(); ++j)
      if (weights[j] > 1e-10f) sums[j] /= weights[j] * static_cast<float>(n);
  }

 private:
  std::span<const float> window_;
  fftwf_complex* in_;
  float* out_;
  fftwf_plan plan_;
};

void compare(const char* what, std::size_t segments, int runs, const std::function<void()>& ours,
             const std::function<void()>& theirs, std::span<const float> our_result,
             std::span<const float> their_result) {
  const auto t =
      papilio::bench::compare(ours, theirs, {.blocks = runs, .least_blocks = runs, .seconds = 600});
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < our_result.size(); ++i) {
    worst = std::max(worst, std::abs(double{our_result[i]} - double{their_result[i]}));
    largest = std::max(largest, std::abs(double{their_result[i]}));
  }
  std::printf(
      "%s, %zu segments of %zu: papilio %.3f s, FFTW loop %.3f s, ratio %.2f%s; largest difference "
      "%.1e of %.1f\n",
      what, segments, n, t.first_seconds, t.second_seconds, t.first_seconds / t.second_seconds,
      t.is_quiet ? "" : " (not quiet)", worst, largest);
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::size_t samples = std::size_t{44100} * 600;
  papilio::array<float, 1> signal(samples);
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float& x : signal) x = uniform(generator);
  {
    const papilio::stft_plan<float> plan({.n_fft = n, .hop = hop, .centre = false});
    const auto segments = static_cast<std::size_t>(plan.segments(samples));
    papilio::array<float, 2> ours({segments, bins}), theirs({segments, bins});
    const fftw_loop peer(plan.window());
    compare(
        "magnitudes", segments, runs, [&] { plan.execute_magnitude(signal.flat(), ours); },
        [&] { peer.run(signal.data(), segments, theirs.data()); }, ours.flat(), theirs.flat());
  }
  const papilio::stft_plan<float> plan({.n_fft = n, .hop = hop});
  const papilio::istft_plan<float> inverse(plan.options());
  const auto segments = static_cast<std::size_t>(plan.segments(samples));
  papilio::array<std::complex<float>, 2> spectra({segments, bins});
  plan.execute(signal.flat(), spectra);
  papilio::array<float, 1> ours(static_cast<std::size_t>(inverse.samples(segments)));
  papilio::array<float, 1> sums((segments - 1) * hop + n), weights(sums.size());
  const fftw_inverse_loop peer(plan.window());
  compare(
      "inverse", segments, runs, [&] { inverse.execute(spectra, ours.flat()); },
      [&] { peer.run(spectra.data(), segments, sums.flat(), weights.flat()); }, ours.flat(),
      std::span<const float>(sums.flat()).subspan(n / 2, ours.size()));
}

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "turns.hpp"

namespace papilio::bench {
namespace {

constexpr const char* about =
    R"(10 minutes of mono sound in memory, n_fft 2048, hop 512, one thread: magnitudes without centring,
stft_plan beside FFTW (MEASURE) with plain loops for window and magnitude; and back from spectra,
istft_plan beside FFTW with plain loops for window, sum and weights. difference: the largest one
of the results over the largest result.
)";

constexpr std::size_t n = 2048, hop = 512, bins = n / 2 + 1, samples = std::size_t{44100} * 600;

class fftw_loop {
 public:
  explicit fftw_loop(std::span<const float> window) : window_(window.begin(), window.end()) {}

  void magnitudes(const float* signal, std::size_t segments, float* to) const {
    for (std::size_t s = 0; s < segments; ++s, signal += hop, to += bins) {
      for (std::size_t j = 0; j < n; ++j) line_[j] = signal[j] * window_[j];
      fftwf_execute(forward_);
      for (std::size_t k = 0; k < bins; ++k)
        to[k] = std::sqrt(spectrum_[k][0] * spectrum_[k][0] + spectrum_[k][1] * spectrum_[k][1]);
    }
  }
  // Sums and weights of (segments - 1) hop + n samples.
  void inverse(const std::complex<float>* spectra, std::size_t segments, std::span<float> sums,
               std::span<float> weights) const {
    std::ranges::fill(sums, 0.0f);
    std::ranges::fill(weights, 0.0f);
    for (std::size_t s = 0; s < segments; ++s) {
      std::copy_n(spectra + s * bins, bins, reinterpret_cast<std::complex<float>*>(spectrum_));
      fftwf_execute(backward_);
      float *const sum = sums.data() + s * hop, *const weight = weights.data() + s * hop;
      for (std::size_t j = 0; j < n; ++j) {
        sum[j] += line_[j] * window_[j];
        weight[j] += window_[j] * window_[j];
      }
    }
    for (std::size_t j = 0; j < sums.size(); ++j)
      if (weights[j] > 1e-10f) sums[j] /= weights[j] * static_cast<float>(n);
  }

 private:
  std::vector<float> window_;
  float* line_ = fftwf_alloc_real(n);
  fftwf_complex* spectrum_ = fftwf_alloc_complex(bins);
  fftwf_plan forward_ = fftwf_plan_dft_r2c_1d(n, line_, spectrum_, FFTW_MEASURE),
             backward_ = fftwf_plan_dft_c2r_1d(n, spectrum_, line_, FFTW_MEASURE);
};

array<float, 1> noise() {
  array<float, 1> signal(samples);
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float& x : signal) x = uniform(generator);
  return signal;
}

row compared(const std::function<void()>& ours, const std::function<void()>& peers,
             std::span<const float> our_result, std::span<const float> peers_result) {
  ours();
  peers();
  float worst = 0, largest = 0;
  for (std::size_t i = 0; i < our_result.size(); ++i) {
    worst = std::max(worst, std::abs(our_result[i] - peers_result[i]));
    largest = std::max(largest, std::abs(peers_result[i]));
  }
  return {.sides = {timed("papilio", ours), timed("FFTW", peers)},
          .counters = {{"difference", worst / largest}},
          .most_seconds = 60};
}

row magnitudes_row() {
  struct work {
    array<float, 1> signal = noise();
    stft_plan<float> plan{{.n_fft = n, .hop = hop, .centre = false}};
    std::size_t segments = static_cast<std::size_t>(plan.segments(samples));
    array<float, 2> ours{{segments, bins}}, theirs{{segments, bins}};
    fftw_loop peer{plan.window()};
  };
  const auto w = std::make_shared<work>();
  return compared([w] { w->plan.execute_magnitude(w->signal.flat(), w->ours); },
                  [w] { w->peer.magnitudes(w->signal.data(), w->segments, w->theirs.data()); },
                  w->ours.flat(), w->theirs.flat());
}

row inverse_row() {
  struct work {
    stft_plan<float> plan{{.n_fft = n, .hop = hop}};
    istft_plan<float> inverse{plan.options()};
    std::size_t segments = static_cast<std::size_t>(plan.segments(samples));
    array<std::complex<float>, 2> spectra{{segments, bins}};
    array<float, 1> ours{{static_cast<std::size_t>(inverse.samples(segments))}};
    array<float, 1> sums{{(segments - 1) * hop + n}}, weights{sums.extents()};
    fftw_loop peer{plan.window()};
  };
  const auto w = std::make_shared<work>();
  w->plan.execute(noise().flat(), w->spectra);
  return compared(
      [w] { w->inverse.execute(w->spectra, w->ours.flat()); },
      [w] { w->peer.inverse(w->spectra.data(), w->segments, w->sums.flat(), w->weights.flat()); },
      w->ours.flat(), std::span<const float>(w->sums.flat()).subspan(n / 2, w->ours.size()));
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  papilio::bench::add_row("magnitudes", papilio::bench::magnitudes_row);
  papilio::bench::add_row("inverse", papilio::bench::inverse_row);
  return papilio::bench::run_rows(argc, argv, papilio::bench::about, 5);
}

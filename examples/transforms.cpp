// The transforms that have numpy's and scipy's names, on a tone in noise.
//   transforms
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include "papilio/papilio.hpp"

/// One second at 8 kHz: a sine of amplitude 1 and normal noise of standard deviation 1/2.
static std::vector<double> tone_in_noise(double frequency_hz) {
  std::mt19937 generator(1);
  std::normal_distribution<double> noise(0, 0.5);
  std::vector<double> samples(8000);
  const double step = 2 * std::numbers::pi * frequency_hz / 8000;
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = std::sin(step * static_cast<double>(i)) + noise(generator);
  return samples;
}

static std::size_t largest(const auto& values) {
  const auto less = [](auto a, auto b) { return std::abs(a) < std::abs(b); };
  return static_cast<std::size_t>(std::ranges::max_element(values, less) - values.begin());
}

static double root_mean_square(const auto& values) {
  const double sum = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

int main() try {
  const std::vector<double> signal = tone_in_noise(440.3);

  // The half spectrum of real samples. Bins are 1 Hz apart, as there is one second.
  auto bins = papilio::rfft(signal);
  const auto frequencies = papilio::rfftfreq(8000, 1.0 / 8000);
  const std::size_t peak = largest(bins);
  std::printf("largest bin   %.1f Hz, amplitude %.2f\n", frequencies[peak],
              std::abs(bins[peak]) / 4000);

  // A closer look: 101 points of the spectrum, from 435 Hz on, a tenth of a Hz apart.
  const auto piece =
      papilio::czt(signal, {.m = 101, .step_turns = 0.1L / 8000, .first_turns = 435.0L / 8000});
  std::printf("zoomed in     %.1f Hz\n", 435 + 0.1 * static_cast<double>(largest(piece)));

  // Only the bins near the tone are kept, and turned back into samples.
  for (std::size_t k = 0; k < bins.size(); ++k)
    if (k + 20 < peak || k > peak + 20) bins[k] = 0;
  const auto filtered = papilio::irfft(bins, {.n = 8000});
  std::printf("rms           %.3f, of the tone alone %.3f\n", root_mean_square(signal),
              root_mean_square(filtered));

  // A moving average, as long as the signal.
  const auto smooth = papilio::fftconvolve(signal, std::vector<double>(9, 1 / 9.0),
                                           {.mode = papilio::convolution_mode::same});
  std::printf("smoothed      %zu samples, rms %.3f\n", smooth.size(), root_mean_square(smooth));
  // In two dimensions at once, and along one axis after the other.
  papilio::array<float, 2> image({48, 64});
  for (std::size_t i = 0; i < image.size(); ++i) image.flat()[i] = static_cast<float>(i % 7);
  const auto plane = papilio::fft2(image, {.norm = papilio::normalization::orthonormal});
  const auto rows = papilio::fft(image, {.norm = papilio::normalization::orthonormal});
  const auto columns = papilio::fft(rows, {.axis = 0, .norm = papilio::normalization::orthonormal});
  float difference = 0;
  for (std::size_t i = 0; i < plane.size(); ++i)
    difference = std::max(difference, std::abs(plane.flat()[i] - columns.flat()[i]));
  std::printf("2-D           %zu x %zu bins, %s\n", plane.extent(0), plane.extent(1),
              difference < 1e-4f ? "the same by rows and columns" : "NOT the same");
  // Plans are kept behind the names.
  const papilio::plan_cache_counts cache = papilio::plan_cache_statistics();
  std::printf("plans         %zu kept, %zu found again\n", cache.plans, cache.hits);
  return 0;
} catch (const papilio::error& e) {
  std::fprintf(stderr, "transforms: %s\n", e.what());
  return 1;
}

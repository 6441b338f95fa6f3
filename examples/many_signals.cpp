// Spectral analysis of many signals at once: one plan, every core, one call for each question.
//   many_signals
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <numbers>

#include "papilio/papilio.hpp"

int main() try {
  constexpr std::size_t signals = 64, samples = 16384;
  constexpr double rate = 16384;

  // Signal s is a sine of 100 (s + 1) Hz.
  papilio::array<float, 2> sound({signals, samples});
  for (std::size_t s = 0; s < signals; ++s)
    for (std::size_t i = 0; i < samples; ++i)
      sound(s, i) = static_cast<float>(
          std::sin(2 * std::numbers::pi * 100 / rate * static_cast<double>((s + 1) * i % samples)));

  // Whole spectra: a batch of lines, [signals, bins]. Bins are 1 Hz apart.
  const papilio::rfft_plan<float> transform(samples);
  papilio::array<std::complex<float>, 2> spectra({signals, transform.bins()});
  transform.forward_batch(sound, spectra, 0);  // 0: every core; the result does not depend on it
  std::size_t right = 0;
  for (std::size_t s = 0; s < signals; ++s) {
    const auto line = spectra.view()[s];
    std::size_t loudest = 0;
    for (std::size_t k = 0; k < line.extent(0); ++k)
      if (std::norm(line(k)) > std::norm(line(loudest))) loudest = k;
    right += loudest == 100 * (s + 1);
  }
  std::printf("spectra       %zu of %zu tones found\n", right, signals);

  // Spectrograms: [signals, segments, bins], threads share the segments of all signals.
  const papilio::stft_plan<float> plan(
      {.n_fft = 1024, .hop = 256, .scaling = papilio::stft_scaling::dbfs});
  papilio::array<float, 3> power({signals, plan.segments(samples), plan.bins()});
  plan.execute_power(sound, power, 0);
  std::printf("spectrograms  %zu x %zu x %zu, loudest %.1f dBFS\n", power.extent(0),
              power.extent(1), power.extent(2),
              papilio::power_to_db(*std::max_element(power.begin(), power.end())));

  // 40 mel bands of the first: [segments, bands].
  const papilio::mel_filterbank<float> bands(rate, 1024, {.bands = 40});
  const auto mel = bands.apply(power.view()[0], 0);
  std::printf("mel           %zu x %zu\n", mel.extent(0), mel.extent(1));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "many_signals: %s\n", e.what());
  return 1;
}

// The strongest tones of a sound file, and its spectrogram as numbers.
//   tones FILE.wav [SPECTROGRAM.npy]
#include <cstdio>
#include <exception>
#include <vector>

#include "papilio/papilio.hpp"

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: tones FILE [SPECTROGRAM.npy]\n");
    return 2;
  }
  const papilio::sound sound = papilio::read_sound(argv[1]);
  const auto rate = static_cast<double>(sound.info.rate_hz);

  // The first channel: samples are [frames, channels].
  std::vector<float> signal(sound.samples.extent(0));
  for (std::size_t i = 0; i < signal.size(); ++i) signal[i] = sound.samples(i, 0);

  const papilio::stft_plan<float> plan({.n_fft = 4096, .hop = 1024});
  papilio::array<float, 2> power({plan.segments(signal.size()), plan.bins()});
  plan.execute_power(signal, power, 0);  // 0: every core

  // Mean over the segments; a sine of amplitude 1 reads 0 dBFS.
  const double gain = 2 / papilio::window_sum(plan.window());
  std::vector<double> mean(plan.bins());
  for (std::size_t s = 0; s < power.extent(0); ++s)
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += power(s, k) * gain * gain / static_cast<double>(power.extent(0));

  for (const auto& peak : papilio::find_peaks(mean, plan.options(), rate, 5))
    std::printf("%9.1f Hz %7.1f dBFS\n", peak.frequency_hz, papilio::power_to_db(peak.power));

  if (argc == 3) papilio::save_npy(argv[2], power.view());  // [segments, bins], for numpy.load
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "tones: %s\n", e.what());
  return 1;
}

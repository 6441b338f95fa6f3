// The strongest tones of a sound file's first channel, by one Fourier transform of all of it.
//   file_spectrum FILE
#include <complex>
#include <cstdio>
#include <exception>
#include <vector>

#include "papilio/papilio.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: file_spectrum FILE\n");
    return 2;
  }
  const papilio::sound sound = papilio::read_sound(argv[1]);
  const std::size_t frames = sound.samples.extent(0);

  // Samples are [frames, channels]. The window keeps tones from leaking over all bins.
  const auto window = papilio::make_window<double>(papilio::window_kind::hann, frames);
  std::vector<double> signal(frames);
  for (std::size_t i = 0; i < frames; ++i) signal[i] = window[i] * sound.samples(i, 0);

  // Any length will do; one with small prime factors is faster, zeros fill the rest.
  const std::size_t n = papilio::next_fast_len(static_cast<std::ptrdiff_t>(frames), true);
  const auto bins = papilio::rfft(signal, {.n = static_cast<std::ptrdiff_t>(n)});
  const double rate = sound.info.rate_hz, gain = 2 / papilio::window_sum<double>(window.flat());
  std::printf("%zu frames, %zu bins, %.4f Hz apart\n", frames, bins.size(),
              rate / static_cast<double>(n));

  // On a scale on which a full-scale sine reads 1, or 0 dBFS.
  std::vector<double> power(bins.size());
  for (std::size_t k = 0; k < power.size(); ++k) power[k] = std::norm(gain * bins[k]);
  const papilio::stft_options shape{.n_fft = n, .hop = n, .window_length = frames};
  for (const auto& peak : papilio::find_peaks(power, shape, rate, 5, 20))
    std::printf("%9.2f Hz %7.1f dBFS\n", peak.frequency_hz, papilio::power_to_db(peak.power));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "file_spectrum: %s\n", e.what());
  return 1;
}

#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/signal/spectral_features.hpp"
#include "papilio/signal/window.hpp"

namespace papilio::signal_detail {

struct tone {
  double frequency_hz, amplitude;
  std::optional<double> phase_radians;  ///< of a cosine, at the first sample
};

/// The window, and which tones are listed, as of find_peaks.
struct tone_options {
  window_spec window = window_kind::hann;
  std::size_t count = 0;
  double separation_hz = 0, range_db = 120;
};

/// The transform of a sound in one piece.
struct tonal_spectrum {
  double rate_hz;
  std::size_t window_length;  ///< samples that were transformed
  std::size_t n_fft;
  double scale;  ///< amplitude of a sine per |X|; half of it at 0 Hz and at half the rate
  std::string recipe;
  array<std::complex<double>, 1> bins =
      {};                           ///< X of the one channel; empty where there are several
  array<double, 1> amplitude = {};  ///< of every bin; root of the mean square over the channels
  std::vector<tone> tones = {};

  double frequency_hz(std::size_t bin) const {
    return static_cast<double>(bin) * (rate_hz / static_cast<double>(n_fft));
  }
};

/// Points for so many samples, at most 2^24: as many, up to 2^20; beyond, the next even length
/// without a prime factor over 7, because the transform of one with a large prime factor takes six
/// times the memory and ten times the time.
PAPILIO_INTERNAL std::size_t tonal_n_fft(std::size_t samples);

/// X = sum_j w[j] x[j] exp(-2 pi i j k / n_fft), k = 0 ... n_fft/2, in double, of [channels, samples];
/// each channel's X is handed on in turn. Memory: about 70 bytes a point, up to 400 for an n_fft with
/// large prime factors.
PAPILIO_INTERNAL tonal_spectrum tonal_spectrum_of(
    view<const float, 2> samples, double rate_hz, std::size_t n_fft, const tone_options& of,
    function_ref<void(std::span<const std::complex<double>> bins)> each_channel);

}  // namespace papilio::signal_detail

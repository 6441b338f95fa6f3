#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/excerpt.hpp"
#include "papilio/base.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// What of a file is transformed as one piece, and how.
struct spectrum_request {
  std::string file;
  sound_options sound;
  excerpt_request part;
  std::optional<std::size_t> n_fft;  ///< none: see default_n_fft
  window_spec window = window_kind::hann;
  std::size_t peak_count = 0;
  double peak_separation_hz = 0, peak_range_db = 120;
};

struct tone {
  double frequency_hz, amplitude;
  std::optional<double> phase_radians;  ///< of a cosine, at the excerpt's first sample
};

struct spectrum {
  sound_info info;
  excerpt part;               ///< what was asked for and is there
  std::size_t window_length;  ///< samples that were transformed
  std::size_t n_fft;
  double scale;  ///< amplitude of a sine per |X|; half of it at 0 Hz and at the Nyquist frequency
  std::string recipe;
  std::uint64_t replaced_samples;
  array<std::complex<double>, 1> bins;  ///< X of the one channel; empty where there are several
  array<double, 1> amplitude;           ///< of every bin; root of the mean square over the channels
  std::vector<tone> peaks;
  std::vector<std::string> warnings;

  double frequency_hz(std::size_t bin) const {
    return static_cast<double>(bin) * (info.rate_hz / static_cast<double>(n_fft));
  }
};

/// Receives X = sum_j w[j] x[j] exp(-2 pi i j k / n_fft), k = 0 ... n_fft/2, of each of `channels`
/// channels in turn.
using on_spectrum =
    std::function<void(std::size_t channels, std::span<const std::complex<double>> bins)>;

/// Points for an excerpt: its length, up to 2^20; beyond, the next even length without a prime
/// factor over 7, because the transform of one with a large prime factor takes six times the memory
/// and ten times the time. `frames` is at most max_n_fft, and so is the result.
std::size_t default_n_fft(std::size_t frames);

/// Reads the excerpt, at most n_fft frames of it, and transforms it, in double. Memory: 4 bytes a
/// sample and about 70 a point, up to 400 for an n_fft with large prime factors. io_error for
/// anything the file is to blame for, and if it is too long: more than max_n_fft points, or 2^26
/// samples of all channels together.
spectrum transform_file(const spectrum_request& request, const on_spectrum& each_channel = {});

}  // namespace papilio::cli

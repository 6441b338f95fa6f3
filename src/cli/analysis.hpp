#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "papilio/audio.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// What of a file is analysed, and how.
struct analysis_request {
  std::string file;
  sound_options sound;
  std::optional<int> channel;  ///< from 1; none: the mean power of all
  double start_seconds = 0;
  std::optional<double> duration_seconds;
  stft_options stft;
  std::size_t rows = 0, columns = 0;
  pooling pool = pooling::maximum;
};

struct analysis {
  sound_info info;
  double start_seconds, duration_seconds;  ///< of what was analysed
  std::uint64_t frames;                    ///< likewise
  std::uint64_t segments;
  std::uint64_t replaced_samples;
  array<float, 2> levels;  ///< power relative to a full-scale sine, [rows, columns]
  std::vector<spectral_peak> peaks;
  std::vector<std::string> warnings;
};

/// Streams the file through one pooled spectrogram, in memory that does not depend on its length.
/// A file that ends before its header says is analysed again up to its end, so that the picture has
/// no blank rest. io_error for anything the file is to blame for.
analysis analyse(const analysis_request& request);

}  // namespace papilio::cli

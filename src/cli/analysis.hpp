#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/excerpt.hpp"
#include "cli/task.hpp"
#include "papilio/audio.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// What of a file is analysed, and how.
struct analysis_request {
  std::string file;
  sound_options sound;
  excerpt_request part;
  stft_options stft;
  std::size_t rows = 0, columns = 0;
  pooling pool = pooling::maximum;
};

struct analysis {
  sound_info info;
  excerpt part;  ///< what was analysed
  std::uint64_t segments;
  std::uint64_t replaced_samples;
  array<float, 2> levels;  ///< power relative to a full-scale sine, [rows, columns]
  std::vector<spectral_peak> peaks;
  std::vector<std::string> warnings;
};

/// Streams the file through one pooled spectrogram, in memory that does not depend on its length.
/// A file that ends before its header says is analysed again up to its end, so that the picture has
/// no blank rest. io_error for anything the file is to blame for.
analysis analyse(const analysis_request& request, const task_context& context);

}  // namespace papilio::cli

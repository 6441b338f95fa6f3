#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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
  std::function<stft_options(double rate_hz)> stft;  ///< for sound at that rate
  std::size_t width = 1280, height = 640;            ///< of the picture that the levels are for
  pooling pool = pooling::maximum;
  bool stacked = false;  ///< a spectrogram for each channel, instead of one of their mean power
  frequency_scale scale = frequency_scale::logarithmic;
  /// None: 0, or on a logarithmic axis two bins, within 20 to 50 Hz (below a rate of 4 kHz within a
  /// 200th and an 80th of it); half the rate.
  std::optional<double> low_hz = {}, high_hz = {};
};

struct analysis {
  sound_info info;
  excerpt part;       ///< what was analysed
  stft_options stft;  ///< and how
  std::uint64_t segments;
  std::uint64_t replaced_samples;
  frequency_axis axis;
  /// Powers relative to a full-scale sine, [rows, columns]: one for each panel of the picture.
  std::vector<array<float, 2>> levels;
  std::vector<spectral_peak> peaks;
  std::vector<std::string> warnings;
};

/// What was analysed, less its levels, and how it was drawn.
struct drawn_file {
  analysis found;
  float floor_dbfs, ceiling_dbfs;
};

/// Streams the file through pooled spectrograms, in memory that does not depend on its length.
/// A file that ends before its header says is analysed again up to its end, so that the picture has
/// no blank rest. io_error for anything the file is to blame for.
analysis analyse(const analysis_request& request, const task_context& context);

}  // namespace papilio::cli

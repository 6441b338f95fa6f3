#pragma once

#include <cstddef>
#include <cstdint>
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
  stft_options stft;
  std::size_t width = 1280, height = 640;  ///< of the picture that the levels are for
  pooling pool = pooling::maximum;
  bool stacked = false;  ///< a spectrogram for each channel, instead of one of their mean power
  frequency_scale scale = frequency_scale::linear;
  /// None: 0, or on a logarithmic axis 20 Hz (a hundredth of half the rate where that is less);
  /// half the rate.
  std::optional<double> low_hz = {}, high_hz = {};
};

struct analysis {
  sound_info info;
  excerpt part;  ///< what was analysed
  std::uint64_t segments;
  std::uint64_t replaced_samples;
  frequency_axis axis;
  /// Powers relative to a full-scale sine, [rows, columns]: one for each panel of the picture.
  std::vector<array<float, 2>> levels;
  std::vector<spectral_peak> peaks;
  std::vector<std::string> warnings;
};

/// Streams the file through pooled spectrograms, in memory that does not depend on its length.
/// A file that ends before its header says is analysed again up to its end, so that the picture has
/// no blank rest. io_error for anything the file is to blame for.
analysis analyse(const analysis_request& request, const task_context& context);

}  // namespace papilio::cli

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/excerpt.hpp"
#include "cli/flags.hpp"
#include "cli/outputs.hpp"
#include "cli/sound_flags.hpp"
#include "cli/stft_flags.hpp"
#include "cli/task.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {

/// How spectrograms are drawn, in every verb that does.
struct picture_flags {
  std::string pool = "max", colors = "magma", range = "80", title;
  std::string frequency_axis = "log", channels = "mixed";
  std::optional<double> low_hz, high_hz;
  std::size_t width = 1280, height = 640;

  /// Without `bounds`, for verbs that have --fmin and --fmax already, less these.
  void add_to(command& verb, bool bounds = true);
};

struct spectrogram_arguments {
  stft_flags stft;
  picture_flags picture;
  excerpt_request part;
  sound_flags sound;
};

/// What spectrogram does with a file. usage_error, naming the flag, for flags that do not fit each
/// other.
file_task spectrogram_task(const spectrogram_arguments& args);
extern const output_kinds spectrogram_kinds;

}  // namespace papilio::cli

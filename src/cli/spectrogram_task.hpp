#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "cli/analysis.hpp"
#include "cli/flags.hpp"
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

  /// --pool, --channels, --frequency-axis, --fmin, --fmax, --range, --width, --height and --colors.
  /// Without `bounds`, for verbs that have them already, less --fmin and --fmax.
  void add_to(command& verb, bool bounds = true);

 private:
  void add_bounds_to(command& verb);
};

/// Levels shown, in dBFS; relative to the picture's highest where that is said.
struct shown_levels {
  float floor_db, ceiling_db;
  bool below_maximum;
};

/// A spectrogram of any file.
struct spectrogram_task {
  analysis_request request;  ///< of no file yet
  shown_levels range;
  spectrogram_picture look;  ///< of no levels yet; an empty title is the file's name

  /// usage_error, naming the flag, for a range of levels or frequencies that is none, and for
  /// stacked channels where one was chosen.
  spectrogram_task(const sound_options& sound, const excerpt_request& part, const stft_flags& stft,
                   const picture_flags& flags);

  /// Reads `file` once and writes what is drawn at each of `outs`, each whole or not at all: a picture
  /// by its ending (without one a PNG), or its levels in dBFS from the lowest frequency up as NPY,
  /// [rows, columns] or [channels, rows, columns], or as CSV under a line of times. Errors as
  /// analyse(), write_spectrogram() and the writers.
  drawn_file run(const std::string& file, std::span<const std::filesystem::path> outs,
                 const task_context& context) const;
};

/// Whether the levels are written there as numbers, by the ending .npy or .csv.
bool is_level_table(const std::filesystem::path& out);

}  // namespace papilio::cli

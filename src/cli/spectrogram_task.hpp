#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <string>

#include "cli/analysis.hpp"
#include "cli/task.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {

/// How spectrograms are drawn, in every verb that does.
struct picture_flags {
  std::string pool = "max", colors = "viridis", range = "-120:0", title;
  std::size_t width = 1280, height = 640;

  /// --pool, --range, --width, --height and --colors.
  void add_to(CLI::App& verb);
};

/// A spectrogram of any file.
struct spectrogram_task {
  analysis_request request;  ///< of no file yet
  spectrogram_picture look;  ///< of no levels yet; an empty title is the file's name

  /// usage_error, naming the flag, for a range that is none.
  spectrogram_task(const sound_options& sound, const excerpt_request& part,
                   const stft_options& stft, const picture_flags& flags);

  /// Draws `file` at `out`, whole or not at all. Errors as analyse() and write_spectrogram_png().
  analysis run(const std::string& file, const std::filesystem::path& out,
               const task_context& context) const;
};

}  // namespace papilio::cli

#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/excerpt.hpp"
#include "cli/flags.hpp"
#include "cli/outputs.hpp"
#include "cli/sound_flags.hpp"
#include "cli/stft_flags.hpp"
#include "cli/task.hpp"

namespace papilio::cli {

/// What is stored of each bin.
struct stft_form_flags {
  std::string form = "complex";
  std::optional<double> floor_db;

  void add_to(command& verb);
};

struct stft_arguments {
  stft_form_flags how;
  stft_flags segments;
  excerpt_request part;
  sound_flags sound;
};

/// What stft does with a file: an NPY [segments, bins] of one channel, whether it is the file's only
/// or chosen, else [channels, segments, bins], and its description. usage_error, naming the flag,
/// for flags that do not fit each other.
file_task stft_task(const stft_arguments& args);
extern const output_kinds stft_kinds;

/// The file beside an NPY that says what the array holds: its name with ".json" after it.
std::filesystem::path description_of(const std::filesystem::path& npy);
inline constexpr std::size_t most_description_bytes = std::size_t{1} << 16;

}  // namespace papilio::cli

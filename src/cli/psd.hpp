#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/excerpt.hpp"
#include "cli/flags.hpp"
#include "cli/plot_flags.hpp"
#include "cli/sound_flags.hpp"
#include "cli/task.hpp"

namespace papilio::cli {

/// How densities are estimated, but for --n-fft, --window and --preset.
struct psd_flags {
  std::optional<std::size_t> segment_length, overlap;
  std::string detrend = "constant", scaling = "density", average = "mean";
  bool per_channel = false;

  void add_to(command& verb, const char* scaling_flag, const char* group);
};

struct psd_arguments {
  psd_flags estimate;
  std::optional<std::size_t> n_fft;
  std::string window = "hann", preset;
  excerpt_request part;
  sound_flags sound;
  peak_flags peaks{5};
  plot_flags plot;
};

/// What psd does with a file. usage_error, naming the flag, for flags that do not fit each other.
file_task psd_task(const psd_arguments& args);
extern const output_kinds psd_kinds;

}  // namespace papilio::cli

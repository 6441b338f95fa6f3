#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/psd_task.hpp"

namespace papilio::cli {

/// How densities are estimated where --n-fft and --window are there already.
struct psd_flags {
  std::optional<std::size_t> segment_length, overlap;
  std::string detrend = "constant", quantity = "density", average = "mean";
  bool per_channel = false;

  /// --segment-length, --overlap, --detrend, --psd-scaling, --average and --per-channel.
  void add_to(CLI::App& verb);
  /// Of no file yet. usage_error, naming the flag, where they do not fit each other.
  psd_request request(std::optional<std::size_t> n_fft, const window_spec& window) const;
};

/// The table that `papilio psd` writes: CSV or NPY by the ending, whole or not at all.
void write_psd_table(const std::filesystem::path& out, const psd_result& result, bool per_channel);

}  // namespace papilio::cli

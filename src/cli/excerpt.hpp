#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "papilio/audio.hpp"

namespace papilio::cli {

/// What of a file is looked at.
struct excerpt_request {
  std::optional<int> channel;  ///< from 1; none: all
  double start_seconds = 0;
  std::optional<double> duration_seconds;

  /// --channel, --start and --duration; `otherwise` is what there is without --channel.
  void add_to(CLI::App& verb, const std::string& otherwise = "the mean power of all");
};

struct excerpt {
  std::uint64_t first, frames;

  double start_seconds(const sound_info& info) const {
    return static_cast<double>(first) / info.rate_hz;
  }
  double duration_seconds(const sound_info& info) const {
    return static_cast<double>(frames) / info.rate_hz;
  }
};

/// The frames asked for, as far as the file has them; io_error if it has none of them, or not the
/// channel.
excerpt excerpt_of(const std::string& file, const excerpt_request& request, const sound_info& info);

}  // namespace papilio::cli

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "papilio/audio.hpp"

namespace papilio::cli {

/// What of a file is looked at.
struct excerpt_request {
  std::optional<int> channel;  ///< from 1; none: all
  double start_seconds = 0;
  std::optional<double> duration_seconds;

  /// --channel, --start and --duration; `otherwise` is what there is without --channel.
  void add_to(command& verb, const std::string& otherwise = "the mean power of all");
};

/// More than any file has.
inline constexpr std::uint64_t unlimited_frames = std::uint64_t{1} << 62;

struct excerpt {
  std::uint64_t first, frames;

  double start_seconds(const sound_info& info) const {
    return static_cast<double>(first) / info.rate_hz;
  }
  double duration_seconds(const sound_info& info) const {
    return static_cast<double>(frames) / info.rate_hz;
  }
};

/// Opens a file of which an excerpt is read, more than once if need be. Where only reading tells
/// its length, a bounded excerpt is read no further than it goes, and any other is measured first.
sound_reader open_excerpt(const std::string& file, sound_options options, bool bounded);

/// The frames asked for, as far as the file has them; io_error if it has none of them, or not the
/// channel. Where the length is not known, what was asked for: no end is unlimited_frames.
excerpt excerpt_of(const std::string& file, const excerpt_request& request, const sound_info& info);

}  // namespace papilio::cli

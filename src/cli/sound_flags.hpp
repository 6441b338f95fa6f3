#pragma once

#include <cstddef>
#include <string>

#include "cli/flags.hpp"
#include "cli/report.hpp"
#include "papilio/audio.hpp"

namespace papilio::cli {

/// How sound files are read, in every verb that does.
struct sound_flags {
  bool strict = false;
  std::string nan = "refuse", raw;

  /// --strict, --nan and --raw.
  void add_to(command& verb);
  /// Only --raw, for verbs that look at headers.
  void add_raw_to(command& verb);
  sound_options options() const;
};

/// Which spectral peaks are listed, in every verb that lets one choose.
struct peak_flags {
  std::size_t count;
  double range_db = 120;

  /// --peaks and --peak-range.
  void add_to(command& verb);
};

/// Help of an argument that names sound files.
inline constexpr const char* sound_files_help = "Sound files; - is standard input";

/// What the header of a sound says: lines of format and duration, and fields from "file" to "tags".
report& add_sound(report& to, const std::string& file, const sound_info& info);

}  // namespace papilio::cli

#pragma once

#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "cli/outputs.hpp"
#include "cli/report.hpp"
#include "papilio/audio.hpp"

namespace papilio::cli {

/// The kinds of sounds that are written, and the help of --out.
output_kinds sound_kinds();
inline constexpr const char* sound_out_help =
    "Sound to write: .wav, .flac or .ogg; a folder; - is WAV on standard output";

/// How sound files are written, in every verb that does.
struct sound_output_flags {
  std::string encoding;
  std::optional<double> quality;

  /// --encoding and --quality.
  void add_to(command& verb);
  /// usage_error where the flags do not fit the kinds that the names tell.
  void require_fit(const output_flags& outputs) const;
  /// Format and encoding; rate and channels are left open.
  sound_writer_options options(const std::string& kind) const;
};

/// "written   OUT (WAV, s16, 1000 frames)", and what was clipped, of which one is warned.
void add_written(report& made, const output& out, const sound_writer& writer);

}  // namespace papilio::cli

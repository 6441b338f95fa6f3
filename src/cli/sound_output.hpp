#pragma once

#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "papilio/audio.hpp"

namespace papilio::cli {

/// How sound files are written, in every verb that does.
struct sound_output_flags {
  std::string encoding;
  std::optional<double> quality;

  /// --encoding and --quality.
  void add_to(command& verb);

  /// Format and encoding of `out`, which `flag` named; rate and channels are left open. usage_error
  /// where the name has no format or the flags do not fit it.
  sound_writer_options options(const char* flag, const std::string& out) const;
};

/// Help of an argument that names the sound file to write.
inline constexpr const char* sound_output_help =
    "Sound to write: .wav, .flac or .ogg; - is WAV on standard output";

/// "written   OUT (WAV, s16, 1000 frames)" and what was clipped.
std::string output_text(const std::string& out, const sound_writer& writer);

/// Warns of samples that were clipped, if any were.
void warn_of_clipping(const std::string& out, const sound_writer& writer);

}  // namespace papilio::cli

#pragma once

#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "cli/outputs.hpp"
#include "cli/report.hpp"
#include "papilio/audio.hpp"

namespace papilio::cli {

/// How sound files are written, in every verb that does.
struct sound_output_flags {
  output_flags outputs{{.kinds = {"wav", "flac", "ogg"}, .streamed = {"wav"}, .one = true}};
  std::string encoding;
  std::optional<double> quality;

  /// --out; and --encoding and --quality.
  void add_out_to(command& verb);
  void add_to(command& verb);

  /// The outputs of the files; usage_error where none is named, or the flags do not fit it.
  std::vector<std::vector<output>> of(const std::vector<std::string>& files) const;
  /// Format and encoding; rate and channels are left open.
  sound_writer_options options(const output& out) const;
};

/// "written   OUT (WAV, s16, 1000 frames)", and what was clipped, of which one is warned.
void add_written(report& made, const output& out, const sound_writer& writer);

}  // namespace papilio::cli

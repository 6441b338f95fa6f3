#include "cli/sound_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/common.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace {

const char* name_of(sound_format format) {
  switch (format) {
    case sound_format::flac:
      return "FLAC";
    case sound_format::ogg:
      return "Ogg Vorbis";
    default:
      return "WAV";
  }
}

std::vector<std::string> encodings_of(sound_format format) {
  if (format == sound_format::flac) return {"s8", "s16", "s24"};
  if (format == sound_format::ogg) return {};
  return {"u8", "s16", "s24", "s32", "f32", "f64"};
}

}  // namespace

output_kinds sound_kinds() {
  output_kinds can;
  can.kinds = {"wav", "flac", "ogg"};
  can.streamed = {"wav"};
  can.one = can.required = true;
  return can;
}

void sound_output_flags::add_to(command& verb) {
  verb.add({{"--encoding", encoding,
             "Samples of the output: u8, s16, s24, s32, f32, f64 in WAV; s8, s16, s24 in FLAC\n"
             "[s16]; f32 and f64 are not clipped",
             one_of({"s8", "u8", "s16", "s24", "s32", "f32", "f64"})},
            {"--quality", quality, "Quality of Ogg Vorbis, from 0 to 1 [0.4]", number_from(0, 1)}});
}

void sound_output_flags::require_fit(const output_flags& outputs) const {
  for (const std::string& kind : sound_kinds().kinds)
    if (outputs.may_be({kind})) options(kind);
}

sound_writer_options sound_output_flags::options(const std::string& kind) const {
  sound_writer_options o;
  o.format = sound_format_of("x." + kind);
  if (quality && o.format != sound_format::ogg)
    throw usage_error("--quality: is for Ogg Vorbis, not {}", name_of(*o.format));
  o.quality = quality;
  if (encoding.empty()) return o;
  const std::vector<std::string> there = encodings_of(*o.format);
  if (there.empty()) throw usage_error("--encoding: Ogg Vorbis has none; there is --quality");
  if (std::find(there.begin(), there.end(), encoding) == there.end())
    throw usage_error("--encoding: {} has {}, got {}", name_of(*o.format), fmt::join(there, ", "),
                      encoding);
  o.encoding = parse_sample_encoding(encoding);
  return o;
}

void add_written(report& made, const output& out, const sound_writer& writer) {
  const sound_writer_options& o = writer.options();
  const std::string name =
      out.to_standard_output() ? std::string("standard output") : out.name.string();
  made.line("written", "{} ({}{}, {} Hz, {}, {})", name, name_of(*o.format),
            o.encoding ? ", " + papilio::to_string(*o.encoding) : std::string(), o.rate_hz,
            counted(static_cast<std::uint64_t>(o.channels), "channel"),
            counted(writer.frames(), "frame"));
  made.add("clipped_samples", writer.clipped_samples());
  if (writer.clipped_samples() == 0) return;
  made.line("clipped", "{} beyond full scale", counted(writer.clipped_samples(), "sample"));
  made.caution(fmt::format("{}: {} beyond full scale clipped; --encoding f32 keeps them", name,
                           counted(writer.clipped_samples(), "sample")));
}

}  // namespace papilio::cli

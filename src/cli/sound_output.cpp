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

void sound_output_flags::add_to(command& verb) {
  verb.add_option(
          "--encoding", encoding,
          "Samples of the output: u8, s16, s24, s32, f32, f64 in WAV; s8, s16, s24 in FLAC\n"
          "[s16]; f32 and f64 are not clipped")
      .check(one_of({"s8", "u8", "s16", "s24", "s32", "f32", "f64"}));
  verb.add_option("--quality", quality, "Of Ogg Vorbis, from 0 to 1 [0.4]")
      .check(number_from(0, 1));
}

sound_writer_options sound_output_flags::options(const char* flag, const std::string& out) const {
  sound_writer_options o;
  try {
    o.format = sound_format_of(out);
  } catch (const invalid_argument&) {
    throw usage_error(fmt::format("{}: must end in .wav, .flac or .ogg, got \"{}\"", flag, out));
  }
  if (quality && o.format != sound_format::ogg)
    throw usage_error(fmt::format("--quality: is for Ogg Vorbis, not {}", name_of(*o.format)));
  o.quality = quality;
  if (encoding.empty()) return o;
  const std::vector<std::string> there = encodings_of(*o.format);
  if (there.empty()) throw usage_error("--encoding: Ogg Vorbis has none; there is --quality");
  if (std::find(there.begin(), there.end(), encoding) == there.end())
    throw usage_error(fmt::format("--encoding: {} has {}, got {}", name_of(*o.format),
                                  fmt::join(there, ", "), encoding));
  o.encoding = parse_sample_encoding(encoding);
  return o;
}

std::string output_text(const std::string& out, const sound_writer& writer) {
  const sound_writer_options& o = writer.options();
  std::string text =
      fmt::format("written   {} ({}{}, {} Hz, {}, {})\n", printable(out), name_of(*o.format),
                  o.encoding ? ", " + papilio::to_string(*o.encoding) : std::string(), o.rate_hz,
                  counted(static_cast<std::uint64_t>(o.channels), "channel"),
                  counted(writer.frames(), "frame"));
  if (writer.clipped_samples() > 0)
    text += fmt::format("clipped   {} beyond full scale\n",
                        counted(writer.clipped_samples(), "sample"));
  return text;
}

void warn_of_clipping(const std::string& out, const sound_writer& writer) {
  if (writer.clipped_samples() > 0)
    warn(fmt::format("{}: {} beyond full scale clipped; --encoding f32 keeps them",
                     out == "-" ? "standard output" : out,
                     counted(writer.clipped_samples(), "sample")));
}

}  // namespace papilio::cli

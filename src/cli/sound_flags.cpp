#include "cli/sound_flags.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/common.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {

void sound_flags::add_to(command& verb) {
  verb.add({{"--strict", strict, "Refuse a file that holds less sound than its header promises"},
            {"--nan", nan, "Samples that are not numbers: refuse the file, or zero them",
             exactly_one_of({"refuse", "zero"})}});
  add_raw_to(verb);
}

void sound_flags::add_raw_to(command& verb) {
  const auto problem_of = [](const std::string& text) {
    try {
      parse_raw_pcm(text);
    } catch (const invalid_argument& e) {
      const std::string problem = e.what();
      return problem.substr(problem.find(": ") + 2);  // less the function's name
    }
    return std::string();
  };
  verb.add({{"--raw", raw,
             "The files have no header: samples of s8, u8, s16, s24, s32, f32 or f64 (s16be:\n"
             "big-endian), as in s16:44100:2, after SKIP bytes",
             validator{problem_of, {}, "ENCODING:RATE:CHANNELS[:SKIP]"}}});
}

sound_options sound_flags::options() const {
  return {.strict = strict,
          .nan = nan == "zero" ? nan_policy::zero : nan_policy::refuse,
          .raw = raw.empty() ? std::nullopt : std::optional(parse_raw_pcm(raw))};
}

void peak_flags::add_to(command& verb) {
  verb.add(
      {{"--peaks", count, "Strongest peaks that are listed", whole_number_from(0, 1000)},
       {"--peak-range", range_db, "Peaks further below the strongest than this are not listed, dB",
        number_from(0, 1000)}});
}

report& add_sound(report& to, const std::string& file, const sound_info& info) {
  to.line("format", "{}, {}, {} Hz, {}{}", info.container, info.encoding, info.rate_hz,
          counted(static_cast<std::uint64_t>(info.channels), "channel"),
          info.decoded_by == "ffmpeg" ? ", decoded by ffmpeg" : "");
  if (info.length_known)
    to.line("duration", "{} ({})", format_duration(info.duration_seconds()),
            counted(info.frames, "frame"));
  else
    to.line("duration", "not known: not read to its end");
  const auto known = [&](auto value) {
    return info.length_known ? json_value(value) : json_value();
  };
  return to.fields("file", file, "container", info.container, "encoding", info.encoding, "bits",
                   info.bits, "decoded_by", info.decoded_by, "rate_hz", info.rate_hz, "channels",
                   info.channels, "frames", known(info.frames), "promised_frames",
                   info.promised_frames, "duration_seconds", known(info.duration_seconds()), "tags",
                   info.tags);
}

}  // namespace papilio::cli

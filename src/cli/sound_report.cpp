#include "cli/sound_report.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/common.hpp"
#include "cli/sound_flags.hpp"

namespace papilio::cli {

report sound_report(const sound_facts& sound) {
  const sound_info& info = sound.info;
  const excerpt& part = sound.part;
  report r;
  r.line("file", "{}", shown_name(sound.file));
  add_sound(r, sound.file, info);
  if (!info.length_known || part.frames != info.frames)
    r.line("excerpt", "{} from {} ({})", format_duration(part.duration_seconds(info)),
           format_duration(part.start_seconds(info)), counted(part.frames, "frame"));
  if (sound.replaced_samples > 0)
    r.line("replaced", "{}, not numbers, by 0", counted(sound.replaced_samples, "sample"));
  return r
      .fields("excerpt",
              json_object("start_seconds", part.start_seconds(info), "duration_seconds",
                          part.duration_seconds(info), "frames", part.frames),
              "replaced_samples", sound.replaced_samples)
      .warn(sound.warnings);
}

std::string channels_text(const excerpt_request& request, const sound_info& info) {
  if (request.channel) return fmt::format("channel {}", *request.channel);
  if (info.channels == 1) return "1 channel";
  return fmt::format("mean of {} channels", info.channels);
}

std::string segments_text(const stft_options& o) {
  const bool shorter = o.window_length != 0 && o.window_length != o.n_fft;
  return fmt::format("n_fft {}, hop {}, {} window{}", o.n_fft, o.hop, to_string(o.window),
                     shorter ? fmt::format(" of {}", o.window_length) : "");
}

json_value segments_fields(std::uint64_t segments, const stft_options& o) {
  return json_object("segments", segments, "n_fft", o.n_fft, "hop", o.hop, "window",
                     to_string(o.window));
}

void add_hop_warning(const sound_facts& sound, const stft_options& o,
                     std::vector<std::string>& warnings) {
  const std::size_t window = o.window_length == 0 ? o.n_fft : o.window_length;
  if (o.hop > window && sound.part.frames > window)
    warnings.push_back(fmt::format(
        "--hop {} is longer than the window of {}: the samples between segments are not looked at",
        o.hop, window));
}

report& add_peaks(report& to, const std::vector<spectral_peak>& peaks) {
  table_rows rows;
  for (const spectral_peak& peak : peaks) rows.add(peak.frequency_hz, power_to_db(peak.power));
  return to.table("peaks", "peaks",
                  {{"frequency_hz", "{:>9.1f} Hz"}, {"level_dbfs", " {:>7.1f} dBFS"}}, rows);
}

}  // namespace papilio::cli

#include "cli/report.hpp"

#include <fmt/format.h>

#include "cli/common.hpp"
#include "cli/sound_flags.hpp"

namespace papilio::cli {

std::string sound_text(const std::string& file, const sound_info& info, const excerpt& part,
                       std::uint64_t replaced_samples) {
  std::string text = fmt::format(
      "file      {}\nformat    {}\nduration  {}\n", printable(shown_name(file)), format_line(info),
      info.length_known ? fmt::format("{} ({})", format_duration(info.duration_seconds()),
                                      counted(info.frames, "frame"))
                        : "not known: not read to its end");
  if (!info.length_known || part.frames != info.frames)
    text += fmt::format("excerpt   {} from {} ({})\n", format_duration(part.duration_seconds(info)),
                        format_duration(part.start_seconds(info)), counted(part.frames, "frame"));
  if (replaced_samples > 0)
    text += fmt::format("replaced  {}, not numbers, by 0\n", counted(replaced_samples, "sample"));
  return text;
}

json_value sound_json(const std::string& file, const sound_info& info, const excerpt& part,
                      std::uint64_t replaced_samples) {
  const auto known = [&](auto value) {
    return info.length_known ? json_value(value) : json_value();
  };
  return {{"file", file},
          {"container", info.container},
          {"encoding", info.encoding},
          {"bits", info.bits},
          {"rate_hz", info.rate_hz},
          {"channels", info.channels},
          {"decoded_by", info.decoded_by},
          {"frames", known(info.frames)},
          {"promised_frames", info.promised_frames},
          {"duration_seconds", known(info.duration_seconds())},
          {"excerpt",
           {{"start_seconds", part.start_seconds(info)},
            {"duration_seconds", part.duration_seconds(info)},
            {"frames", part.frames}}},
          {"replaced_samples", replaced_samples},
          {"tags", info.tags}};
}

std::string sound_text(const sound_facts& sound) {
  return sound_text(sound.file, sound.info, sound.part, sound.replaced_samples);
}

json_value sound_json(const sound_facts& sound) {
  return sound_json(sound.file, sound.info, sound.part, sound.replaced_samples);
}

std::string channels_text(const excerpt_request& request, const sound_info& info) {
  if (request.channel) return fmt::format("channel {}", *request.channel);
  if (info.channels == 1) return "1 channel";
  return fmt::format("mean of {} channels", info.channels);
}

double level_dbfs(double power) {
  const double level = power_to_db(power);
  return level > -0.05 && level < 0.05 ? 0.0 : level;
}

namespace {

std::string shown_channels(const analysis_request& request, const sound_info& info) {
  if (!request.stacked || info.channels == 1) return channels_text(request.part, info);
  return fmt::format("each of {} channels", info.channels);
}

}  // namespace

std::string segments_text(const stft_options& o) {
  const bool shorter = o.window_length != 0 && o.window_length != o.n_fft;
  return fmt::format("n_fft {}, hop {}, {} window{}", o.n_fft, o.hop, to_string(o.window),
                     shorter ? fmt::format(" of {}", o.window_length) : "");
}

std::string report_text(const analysis_request& request, const drawn_file& drawn) {
  const analysis& a = drawn.found;
  std::string text = sound_text(request.file, a.info, a.part, a.replaced_samples);
  text += fmt::format("analysis  {}, {}, {}\n", counted(a.segments, "segment"),
                      segments_text(a.stft), shown_channels(request, a.info));
  text += fmt::format("axis      {}, {:.6g} to {:.6g} Hz\n", to_string(a.axis.scale), a.axis.low_hz,
                      a.axis.high_hz);
  text += fmt::format("levels    {:.1f} to {:.1f} dBFS\n", drawn.floor_dbfs, drawn.ceiling_dbfs);
  if (a.peaks.empty()) return text + "peaks     none: digital silence\n";
  const char* label = "peaks";
  for (const spectral_peak& peak : a.peaks) {
    text += fmt::format("{:<9} {:>9.1f} Hz {:>7.1f} dBFS\n", label, peak.frequency_hz,
                        level_dbfs(peak.power));
    label = "";
  }
  return text;
}

json_value report_json(const analysis_request& request, const drawn_file& drawn,
                       const std::string& picture) {
  const analysis& a = drawn.found;
  json_value peaks = json_value::array();
  for (const spectral_peak& peak : a.peaks)
    peaks.push_back({{"frequency_hz", peak.frequency_hz}, {"level_dbfs", power_to_db(peak.power)}});
  json_value report = sound_json(request.file, a.info, a.part, a.replaced_samples);
  report["picture"] = picture;
  report["segments"] = a.segments;
  report["n_fft"] = a.stft.n_fft;
  report["hop"] = a.stft.hop;
  report["window"] = to_string(a.stft.window);
  report["levels"] = {{"low_dbfs", drawn.floor_dbfs}, {"high_dbfs", drawn.ceiling_dbfs}};
  report["frequency_axis"] = {
      {"scale", to_string(a.axis.scale)}, {"low_hz", a.axis.low_hz}, {"high_hz", a.axis.high_hz}};
  report["stacked"] = request.stacked;
  report["peaks"] = peaks;
  report["warnings"] = a.warnings;
  return report;
}

}  // namespace papilio::cli

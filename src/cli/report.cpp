#include "cli/report.hpp"

#include <fmt/format.h>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {

// To a tenth, and never "-0.0".
double level_dbfs(const spectral_peak& peak) {
  const double level = power_to_db(peak.power);
  return level > -0.05 && level < 0.05 ? 0.0 : level;
}

std::string channels_text(const analysis_request& request, const analysis& a) {
  if (request.channel) return fmt::format("channel {}", *request.channel);
  if (a.info.channels == 1) return "1 channel";
  return fmt::format("mean of {} channels", a.info.channels);
}

}  // namespace

std::string report_text(const analysis_request& request, const analysis& a) {
  std::string text =
      fmt::format("file      {}\nformat    {}\nduration  {} ({})\n", printable(request.file),
                  format_line(a.info), format_duration(a.info.duration_seconds()),
                  counted(a.info.frames, "frame"));
  if (a.frames != a.info.frames)
    text += fmt::format("excerpt   {} from {} ({})\n", format_duration(a.duration_seconds),
                        format_duration(a.start_seconds), counted(a.frames, "frame"));
  if (a.replaced_samples > 0)
    text += fmt::format("replaced  {}, not numbers, by 0\n", counted(a.replaced_samples, "sample"));
  const stft_options& o = request.stft;
  text +=
      fmt::format("analysis  {}, n_fft {}, hop {}, {} window, {}\n", counted(a.segments, "segment"),
                  o.n_fft, o.hop, to_string(o.window), channels_text(request, a));
  if (a.peaks.empty()) return text + "peaks     none: digital silence\n";
  const char* label = "peaks";
  for (const spectral_peak& peak : a.peaks) {
    text += fmt::format("{:<9} {:>9.1f} Hz {:>7.1f} dBFS\n", label, peak.frequency_hz,
                        level_dbfs(peak));
    label = "";
  }
  return text;
}

nlohmann::json report_json(const analysis_request& request, const analysis& a,
                           const std::string& picture) {
  nlohmann::json peaks = nlohmann::json::array();
  for (const spectral_peak& peak : a.peaks)
    peaks.push_back({{"frequency_hz", peak.frequency_hz}, {"level_dbfs", power_to_db(peak.power)}});
  return {{"file", request.file},
          {"picture", picture},
          {"container", a.info.container},
          {"encoding", a.info.encoding},
          {"bits", a.info.bits},
          {"rate_hz", a.info.rate_hz},
          {"channels", a.info.channels},
          {"frames", a.info.frames},
          {"promised_frames", a.info.promised_frames},
          {"duration_seconds", a.info.duration_seconds()},
          {"excerpt",
           {{"start_seconds", a.start_seconds},
            {"duration_seconds", a.duration_seconds},
            {"frames", a.frames}}},
          {"segments", a.segments},
          {"n_fft", request.stft.n_fft},
          {"hop", request.stft.hop},
          {"replaced_samples", a.replaced_samples},
          {"peaks", peaks},
          {"tags", a.info.tags},
          {"warnings", a.warnings}};
}

}  // namespace papilio::cli

#include "cli/spectrogram_task.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/common.hpp"
#include "cli/validators.hpp"

namespace papilio::cli {
namespace {

struct level_range {
  float floor_db, ceiling_db;
};

std::optional<float> parse_number(std::string_view text) {
  float value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// "-100:-20", or "80" for -80:0.
level_range parse_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  std::optional<float> low, high;
  if (colon == std::string::npos) {
    high = 0.0f;
    if (const auto span = parse_number(text)) low = -std::abs(*span);
  } else {
    low = parse_number(std::string_view(text).substr(0, colon));
    high = parse_number(std::string_view(text).substr(colon + 1));
  }
  if (!low || !high || *high - *low < 1 || *low < -1000 || *high > 1000)
    throw usage_error(fmt::format(
        "--range: must be LOW:HIGH in dBFS, from -1000 to 1000 and at least 1 apart, or N, from 1 "
        "to 1000, for -N:0; got \"{}\"",
        text));
  return {*low, *high};
}

void require_frequencies(const picture_flags& flags) {
  if (flags.frequency_axis == "log" && flags.low_hz && !(*flags.low_hz >= 1e-9))
    throw usage_error(
        fmt::format("--fmin: must be above 0 on a logarithmic axis, got {}", *flags.low_hz));
  if (flags.low_hz && flags.high_hz && *flags.low_hz >= *flags.high_hz)
    throw usage_error(
        fmt::format("--fmin: must be below --fmax {}, got {}", *flags.high_hz, *flags.low_hz));
}

}  // namespace

void picture_flags::add_bounds_to(CLI::App& verb) {
  verb.add_option("--fmin", low_hz, "Lowest frequency shown, in Hz [0; log 20]")
      ->check(number_from(0, 1e9));
  verb.add_option("--fmax", high_hz, "Highest frequency shown, in Hz [half the rate]")
      ->check(number_from(1e-6, 1e9));
}

void picture_flags::add_to(CLI::App& verb, bool bounds) {
  verb.add_option("--pool", pool, "Of all segments in a picture column, show")
      ->transform(CLI::IsMember(std::vector<std::string>{"max", "mean"}, CLI::ignore_case))
      ->capture_default_str();
  verb.add_option("--channels", channels,
                  "One spectrogram of the channels' mean power, or one for each, stacked")
      ->transform(CLI::IsMember(std::vector<std::string>{"mixed", "stacked"}, CLI::ignore_case))
      ->capture_default_str();
  verb.add_option("--frequency-axis", frequency_axis,
                  "Even in Hz, in octaves, or in mel (Slaney's)")
      ->transform(CLI::IsMember(std::vector<std::string>{"linear", "log", "mel"}, CLI::ignore_case))
      ->capture_default_str();
  if (bounds) add_bounds_to(verb);
  verb.add_option("--range", range, "Levels shown, dBFS, LOW:HIGH, or one number for -N:0")
      ->capture_default_str();
  verb.add_option("--width", width, "Of the picture, in pixels")
      ->transform(whole_number_from(minimum_picture_width, maximum_picture_side))
      ->capture_default_str();
  verb.add_option("--height", height, "Of the picture, in pixels")
      ->transform(whole_number_from(minimum_picture_height, maximum_picture_side))
      ->capture_default_str();
  verb.add_option("--colors", colors, "Colour map")
      ->transform(
          CLI::IsMember(std::vector<std::string>{"viridis", "magma", "grey"}, CLI::ignore_case))
      ->capture_default_str();
}

spectrogram_task::spectrogram_task(const sound_options& sound, const excerpt_request& part,
                                   const stft_options& stft, const picture_flags& flags)
    : request{.file = {},
              .sound = sound,
              .part = part,
              .stft = stft,
              .width = flags.width,
              .height = flags.height,
              .pool = flags.pool == "mean" ? pooling::mean : pooling::maximum,
              .stacked = flags.channels == "stacked",
              .scale = frequency_scale_named(flags.frequency_axis),
              .low_hz = flags.low_hz,
              .high_hz = flags.high_hz} {
  require_frequencies(flags);
  if (request.stacked && part.channel)
    throw usage_error("--channels: stacked are all of them, but --channel chooses one");
  const level_range range = parse_range(flags.range);
  look.floor_db = range.floor_db;
  look.ceiling_db = range.ceiling_db;
  look.title = flags.title;
  look.colors = color_map_named(flags.colors);
  look.width = flags.width;
  look.height = flags.height;
}

analysis spectrogram_task::run(const std::string& file, const std::filesystem::path& out,
                               const task_context& context) const {
  analysis_request of_file = request;
  of_file.file = file;
  analysis a = analyse(of_file, context);
  spectrogram_picture picture = look;
  std::vector<array<float, 2>> panels = std::move(a.levels);
  for (array<float, 2>& levels : panels) {
    power_to_db<float>(levels.flat(), levels.flat(), 1.0, look.floor_db);
    picture.panels.push_back({levels.view(), fmt::format("Channel {}", picture.panels.size() + 1)});
  }
  picture.start_seconds = a.part.start_seconds(a.info);
  picture.duration_seconds = a.part.duration_seconds(a.info);
  picture.scale = a.axis.scale;
  picture.low_hz = a.axis.low_hz;
  picture.high_hz = a.axis.high_hz;
  if (picture.title.empty())
    picture.title = std::filesystem::path(shown_name(file)).filename().string();
  if (out.has_extension())
    write_spectrogram(out, picture);
  else
    write_spectrogram_png(out, picture);
  return a;
}

}  // namespace papilio::cli

#include "cli/spectrogram_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/common.hpp"
#include "cli/report.hpp"
#include "cli/validators.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace {

std::optional<float> parse_number(std::string_view text) {
  float value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// "-100:-20", or "80" for those 80 dB that end at the picture's maximum.
shown_levels parse_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  const bool below_maximum = colon == std::string::npos;
  std::optional<float> low, high;
  if (below_maximum) {
    high = 0.0f;
    if (const auto span = parse_number(text)) low = -std::abs(*span);
  } else {
    low = parse_number(std::string_view(text).substr(0, colon));
    high = parse_number(std::string_view(text).substr(colon + 1));
  }
  if (!low || !high || *high - *low < 1 || *low < -1000 || *high > 1000)
    throw usage_error(fmt::format(
        "--range: must be LOW:HIGH in dBFS, from -1000 to 1000 and at least 1 apart, or N, from 1 "
        "to 1000, for N dB below the picture's maximum; got \"{}\"",
        text));
  return {*low, *high, below_maximum};
}

/// In dBFS, whatever it is relative to. Digital silence has no maximum: 0 dBFS stands for it.
shown_levels in_dbfs(const shown_levels& range, const std::vector<array<float, 2>>& powers) {
  if (!range.below_maximum) return range;
  float most = 0;
  for (const array<float, 2>& panel : powers)
    for (const float power : panel) most = std::max(most, power);
  const float maximum_db = most > 0 ? static_cast<float>(power_to_db(double{most})) : 0.0f;
  return {range.floor_db + maximum_db, range.ceiling_db + maximum_db, false};
}

void require_frequencies(const picture_flags& flags) {
  if (flags.frequency_axis == "log" && flags.low_hz && !(*flags.low_hz >= 1e-9))
    throw usage_error(fmt::format(
        "--fmin: must be above 0 on a logarithmic axis, got {}; --frequency-axis linear "
        "and mel begin at 0",
        *flags.low_hz));
  if (flags.low_hz && flags.high_hz && *flags.low_hz >= *flags.high_hz)
    throw usage_error(
        fmt::format("--fmin: must be below --fmax {}, got {}", *flags.high_hz, *flags.low_hz));
}

std::vector<std::string> color_names() {
  std::vector<std::string> names;
  for (const color_map map : all_color_maps) names.emplace_back(to_string(map));
  names.emplace_back("gray");
  return names;
}

// Where a cell's middle lies, as a share of the axis.
double middle(std::size_t cell, std::size_t cells) {
  return (static_cast<double>(cell) + 0.5) / static_cast<double>(cells);
}

void write_npy_levels(const std::filesystem::path& out,
                      const std::vector<array<float, 2>>& panels) {
  std::vector<std::uint64_t> extents{panels[0].extent(0), panels[0].extent(1)};
  if (panels.size() > 1) extents.insert(extents.begin(), panels.size());
  npy_region_writer<float> npy(out, extents);
  for (std::size_t p = 0; p < panels.size(); ++p)
    npy.write(p * panels[p].size(), std::span<const float>(panels[p].data(), panels[p].size()));
  npy.commit();
}

void write_csv_levels(const std::filesystem::path& out, const spectrogram_picture& picture,
                      const frequency_axis& axis, const std::vector<array<float, 2>>& panels) {
  const std::size_t rows = panels[0].extent(0), columns = panels[0].extent(1);
  std::vector<std::string> names{"frequency_hz"};
  if (panels.size() > 1) names.insert(names.begin(), "channel");
  for (std::size_t c = 0; c < columns; ++c)
    names.push_back(
        csv_field(picture.start_seconds + picture.duration_seconds * middle(c, columns)).text());
  csv_writer csv(out, names);
  std::vector<csv_field> fields;
  for (std::size_t p = 0; p < panels.size(); ++p)
    for (std::size_t r = 0; r < rows; ++r) {
      fields.clear();
      if (panels.size() > 1) fields.emplace_back(p + 1);
      fields.emplace_back(axis.hz(middle(r, rows)));
      for (std::size_t c = 0; c < columns; ++c) fields.emplace_back(panels[p](r, c));
      csv.write_row(fields);
    }
  csv.commit();
}

}  // namespace

bool is_level_table(const std::filesystem::path& out) {
  const std::string ending = lower_case(out.extension().string());
  return ending == ".npy" || ending == ".csv";
}

void picture_flags::add_bounds_to(command& verb) {
  verb.add_option("--fmin", low_hz, "Lowest frequency shown, in Hz [0; log 2 bins, 20 to 50]")
      .check(number_from(0, 1e9));
  verb.add_option("--fmax", high_hz, "Highest frequency shown, in Hz [half the rate]")
      .check(number_from(1e-6, 1e9));
}

void picture_flags::add_to(command& verb, bool bounds) {
  verb.add_option("--pool", pool, "What a pixel shows of the segments and bins that it covers")
      .check(one_of({"max", "mean"}))
      .show_default();
  verb.add_option("--channels", channels,
                  "One spectrogram of the channels' mean power, or one for each, stacked")
      .check(one_of({"mixed", "stacked"}))
      .show_default();
  verb.add_option("--frequency-axis", frequency_axis,
                  "Even in Hz, in octaves, or in mel (Slaney's)")
      .check(one_of({"linear", "log", "mel"}))
      .show_default();
  if (bounds) add_bounds_to(verb);
  verb.add_option("--range", range,
                  "Levels shown: N, the N dB below the picture's maximum, or LOW:HIGH in dBFS")
      .show_default();
  verb.add_option("--width", width, "Width of the picture in pixels")
      .check(whole_number_from(minimum_picture_width, maximum_picture_side))
      .show_default();
  verb.add_option("--height", height, "Height of the picture in pixels")
      .check(whole_number_from(minimum_picture_height, maximum_picture_side))
      .show_default();
  verb.add_option("--colors", colors, "Colour map, from dark to light")
      .check(one_of(color_names()))
      .show_default();
}

spectrogram_task::spectrogram_task(const sound_options& sound, const excerpt_request& part,
                                   const stft_flags& stft, const picture_flags& flags)
    : request{.file = {},
              .sound = sound,
              .part = part,
              .stft = [stft](double rate_hz) { return stft.picture_options(rate_hz); },
              .width = flags.width,
              .height = flags.height,
              .pool = flags.pool == "mean" ? pooling::mean : pooling::maximum,
              .stacked = flags.channels == "stacked",
              .scale = frequency_scale_named(flags.frequency_axis),
              .low_hz = flags.low_hz,
              .high_hz = flags.high_hz},
      range(parse_range(flags.range)) {
  stft.picture_options(44100);  // refuses what is wrong at any rate
  require_frequencies(flags);
  if (request.stacked && part.channel)
    throw usage_error("--channels: stacked are all of them, but --channel chooses one");
  look.title = flags.title;
  look.colors = color_map_named(flags.colors);
  look.width = flags.width;
  look.height = flags.height;
}

drawn_file spectrogram_task::run(const std::string& file,
                                 std::span<const std::filesystem::path> outs,
                                 const task_context& context) const {
  analysis_request of_file = request;
  of_file.file = file;
  analysis a = analyse(of_file, context);
  spectrogram_picture picture = look;
  std::vector<array<float, 2>> panels = std::move(a.levels);
  const shown_levels shown = in_dbfs(range, panels);
  picture.floor_db = shown.floor_db;
  picture.ceiling_db = shown.ceiling_db;
  for (array<float, 2>& levels : panels) {
    power_to_db<float>(levels.flat(), levels.flat(), 1.0, picture.floor_db);
    picture.panels.push_back({levels.view(), fmt::format("Channel {}", picture.panels.size() + 1)});
  }
  picture.start_seconds = a.part.start_seconds(a.info);
  picture.duration_seconds = a.part.duration_seconds(a.info);
  picture.scale = a.axis.scale;
  picture.low_hz = a.axis.low_hz;
  picture.high_hz = a.axis.high_hz;
  if (picture.title.empty())
    picture.title = std::filesystem::path(shown_name(file)).filename().string();
  picture.caption = fmt::format("{}, {} Hz", segments_text(a.stft), a.info.rate_hz);
  for (const std::filesystem::path& out : outs) {
    if (lower_case(out.extension().string()) == ".npy")
      write_npy_levels(out, panels);
    else if (is_level_table(out))
      write_csv_levels(out, picture, a.axis, panels);
    else if (out.has_extension())
      write_spectrogram(out, picture);
    else
      write_spectrogram_png(out, picture);
  }
  return {std::move(a), shown.floor_db, shown.ceiling_db};
}

}  // namespace papilio::cli

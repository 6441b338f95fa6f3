#include "papilio/render.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>

#include "papilio/base/atomic_file.hpp"
#include "render/spectrogram_layout.hpp"
#include "render/spectrogram_sheet.hpp"
#include "render/theme.hpp"

namespace papilio {
namespace {

using namespace render_detail;

template <class... Parts>
[[noreturn]] void refuse(const char* function, const Parts&... parts) {
  throw invalid_argument(base_detail::message(function, ": ", parts...));
}

void require_within(const char* function, const char* field, double value, double least,
                    double most) {
  if (!(value >= least && value <= most))
    refuse(function, field, " must be ", least, " to ", most, ", not ", value);
}

void require_time(const char* f, const spectrogram_picture& p) {
  require_within(f, "start_seconds", p.start_seconds, -1e9, 1e9);
  require_within(f, "duration_seconds", p.duration_seconds, 1e-9, 1e9);
  if (p.duration_seconds < 1e-12 * std::abs(p.start_seconds))
    refuse(f, "duration_seconds must be at least 1e-12 of start_seconds ", p.start_seconds,
           ", not ", p.duration_seconds);
}

void require_levels(const char* f, const spectrogram_picture& p) {
  require_within(f, "floor_db", p.floor_db, -10000, 10000);
  require_within(f, "ceiling_db", p.ceiling_db, -10000, 10000);
  if (!(p.ceiling_db - p.floor_db >= 0.00999f))
    refuse(f, "ceiling_db must be at least 0.01 above floor_db ", p.floor_db, ", not ",
           p.ceiling_db);
  if (!p.panels.empty() && !p.level_db.empty())
    refuse(f, "level_db must be empty where there are panels");
  const auto require_some = [&](const view<const float, 2>& level_db) {
    if (level_db.empty())
      throw shape_error(base_detail::message(f, ": level_db has no levels: its shape is [",
                                             level_db.extent(0), ", ", level_db.extent(1), "]"));
  };
  if (p.panels.empty()) require_some(p.level_db);
  for (const spectrogram_panel& panel : p.panels) require_some(panel.level_db);
  const int map = static_cast<int>(p.colors);
  if (map < 0 || map >= static_cast<int>(all_color_maps.size()))
    refuse(f, "colors must be one of all_color_maps, not ", map);
}

constexpr std::size_t most_marks = 100, most_curve_columns = std::size_t{1} << 20;

void require_strip(const char* f, const spectrogram_strip& strip) {
  if (strip.lower.empty() || strip.lower.size() != strip.upper.size())
    throw shape_error(base_detail::message(f,
                                           ": strip must have as many lower as upper values, and "
                                           "one at least, not ",
                                           strip.lower.size(), " and ", strip.upper.size()));
  if (!(std::isfinite(strip.low) && std::isfinite(strip.high) && strip.low < strip.high))
    refuse(f, "strip must have low below high, both finite, not ", strip.low, " and ", strip.high);
}

/// Checks every field before `make_sink` is called, so that a refusal touches no file.
template <class MakeSink>
void draw_checked(const char* function, const spectrogram_picture& picture, picture_format format,
                  MakeSink make_sink) {
  const spectrogram_picture whole = checked_panels(function, picture);
  const spectrogram_layout layout = lay_out_spectrogram(function, whole);
  try {
    draw_spectrogram(whole, layout, format, make_sink());
  } catch (const std::bad_alloc&) {
    throw resource_error(base_detail::message(function, ": no memory for a picture of ",
                                              layout.width, " x ", layout.height));
  } catch (const std::length_error&) {
    throw resource_error(base_detail::message(function, ": level_db is too large: [",
                                              picture.level_db.extent(0), ", ",
                                              picture.level_db.extent(1), "]"));
  }
}

std::vector<std::byte> image(const char* function, const spectrogram_picture& picture,
                             picture_format format) {
  std::vector<std::byte> file;
  draw_checked(function, picture, format, [&] {
    return [&file](const void* bytes, std::size_t count) {
      const auto* const first = static_cast<const std::byte*>(bytes);
      file.insert(file.end(), first, first + count);
    };
  });
  return file;
}

void write(const char* function, const std::filesystem::path& path,
           const spectrogram_picture& picture, picture_format format) {
  std::optional<atomic_file> file;
  draw_checked(function, picture, format, [&] {
    file.emplace(path);
    return [&file](const void* bytes, std::size_t count) { file->write(bytes, count); };
  });
  file->commit();
}

}  // namespace

namespace render_detail {

spectrogram_picture checked_panels(const char* function, const spectrogram_picture& picture) {
  lay_out_spectrogram(function, picture);
  colors_of(picture.theme, function);
  if (picture.strip) require_strip(function, *picture.strip);
  if (picture.marks.size() > most_marks)
    refuse(function, "marks must be at most ", most_marks, ", not ", picture.marks.size());
  if (picture.curve_hz.size() > most_curve_columns)
    refuse(function, "curve_hz must be at most ", most_curve_columns, " columns, not ",
           picture.curve_hz.size());
  require_time(function, picture);
  frequency_axis{picture.scale, picture.low_hz, picture.high_hz}.require_valid(function);
  require_levels(function, picture);
  constexpr std::size_t most_marked_seconds = 100'000;
  if (picture.marked_seconds.size() > most_marked_seconds)
    refuse(function, "marked_seconds must be at most ", most_marked_seconds, ", not ",
           picture.marked_seconds.size());
  spectrogram_picture result = picture;
  if (result.panels.empty()) result.panels.push_back({picture.level_db, {}});
  return result;
}

}  // namespace render_detail

std::vector<std::byte> spectrogram_png(const spectrogram_picture& picture) {
  return image("spectrogram_png", picture, picture_format::png);
}

void write_spectrogram_png(const std::filesystem::path& path, const spectrogram_picture& picture) {
  write("write_spectrogram_png", path, picture, picture_format::png);
}

std::vector<std::byte> spectrogram_image(const spectrogram_picture& picture,
                                         picture_format format) {
  return image("spectrogram_image", picture, format);
}

void write_spectrogram(const std::filesystem::path& path, const spectrogram_picture& picture) {
  write("write_spectrogram", path, picture, picture_format_of(path));
}

}  // namespace papilio

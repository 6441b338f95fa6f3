#include "papilio/render/spectrogram_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>

#include "papilio/base/atomic_file.hpp"
#include "render/canvas.hpp"
#include "render/level_raster.hpp"
#include "render/png_writer.hpp"
#include "render/spectrogram_axes.hpp"
#include "render/spectrogram_layout.hpp"

namespace papilio {
namespace {

using namespace render_detail;

// The palette: the colour scale, then greys from paper to ink for lines and antialiased text.
constexpr int color_steps = 224;
constexpr int ink_steps = 32;
constexpr int ink_value = 0x1a;
using palette_type = std::array<rgb, color_steps + ink_steps>;

palette_type palette_of(color_map map) {
  palette_type palette;
  for (int i = 0; i < color_steps; ++i)
    palette[static_cast<std::size_t>(i)] = color_at(map, i / double{color_steps - 1});
  for (int i = 0; i < ink_steps; ++i) {
    const auto value = static_cast<std::uint8_t>(255 - i * (255 - ink_value) / (ink_steps - 1));
    palette[static_cast<std::size_t>(color_steps + i)] = {value, value, value};
  }
  return palette;
}

std::uint8_t ink_index(std::uint8_t coverage) {
  return static_cast<std::uint8_t>(color_steps + (coverage * (ink_steps - 1) + 127) / 255);
}

// ---- Validation ----

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

void require_frequency(const char* f, const spectrogram_picture& p) {
  require_within(f, "low_hz", p.low_hz, 0, 1e12);
  require_within(f, "high_hz", p.high_hz, 1e-9, 1e12);
  if (!(p.high_hz - p.low_hz >= 1e-12 * p.high_hz))
    refuse(f, "high_hz must be above low_hz ", p.low_hz, " by 1e-12 of itself or more, not ",
           p.high_hz);
}

void require_levels(const char* f, const spectrogram_picture& p) {
  require_within(f, "floor_db", p.floor_db, -10000, 10000);
  require_within(f, "ceiling_db", p.ceiling_db, -10000, 10000);
  if (!(p.ceiling_db - p.floor_db >= 0.00999f))
    refuse(f, "ceiling_db must be at least 0.01 above floor_db ", p.floor_db, ", not ",
           p.ceiling_db);
  if (p.level_db.empty())
    throw shape_error(base_detail::message(f, ": level_db has no levels: its shape is [",
                                           p.level_db.extent(0), ", ", p.level_db.extent(1), "]"));
  const int map = static_cast<int>(p.colors);
  if (map < 0 || map >= static_cast<int>(all_color_maps.size()))
    refuse(f, "colors must be one of all_color_maps, not ", map);
}

// ---- Drawing ----

/// The level row of the bar that shows the middle of pixel `from_top` of `height`.
std::uint8_t bar_index(std::size_t from_top, std::size_t height) {
  return static_cast<std::uint8_t>((2 * (height - 1 - from_top) + 1) * color_steps / (2 * height));
}

void draw(const spectrogram_picture& picture, const spectrogram_layout& layout, byte_sink sink) {
  canvas sheet(layout.width, layout.height);
  draw_spectrogram_axes(sheet, layout, picture);
  sheet.finish();

  const plot_extent& plot = layout.plot;
  level_raster raster(picture.level_db, plot.width, plot.height,
                      {picture.floor_db, picture.ceiling_db, color_steps});
  png_writer png(std::move(sink), layout.width, layout.height, palette_of(picture.colors));
  std::vector<std::uint8_t> pixels(layout.width);
  for (std::size_t y = 0; y < layout.height; ++y) {
    std::ranges::transform(sheet.row(y), pixels.begin(), ink_index);
    if (y >= plot.top && y < layout.plot_bottom()) {
      const std::span<std::uint8_t> row(pixels);
      raster.draw_row(y - plot.top, row.subspan(plot.left, plot.width));
      std::ranges::fill(row.subspan(layout.bar_left, layout.bar_width),
                        bar_index(y - plot.top, plot.height));
    }
    png.write_row(pixels);
  }
  png.finish();
}

/// Checks every field before `make_sink` is called, so that a refusal touches no file.
template <class MakeSink>
void draw_checked(const char* function, const spectrogram_picture& picture, MakeSink make_sink) {
  const spectrogram_layout layout = lay_out_spectrogram(function, picture.width, picture.height);
  require_time(function, picture);
  require_frequency(function, picture);
  require_levels(function, picture);
  try {
    draw(picture, layout, make_sink());
  } catch (const std::bad_alloc&) {
    throw resource_error(base_detail::message(function, ": no memory for a picture of ",
                                              layout.width, " x ", layout.height));
  } catch (const std::length_error&) {
    throw resource_error(base_detail::message(function, ": level_db is too large: [",
                                              picture.level_db.extent(0), ", ",
                                              picture.level_db.extent(1), "]"));
  }
}

}  // namespace

std::vector<std::byte> spectrogram_png(const spectrogram_picture& picture) {
  std::vector<std::byte> file;
  draw_checked("spectrogram_png", picture, [&] {
    return [&file](const void* bytes, std::size_t count) {
      const auto* const first = static_cast<const std::byte*>(bytes);
      file.insert(file.end(), first, first + count);
    };
  });
  return file;
}

void write_spectrogram_png(const std::filesystem::path& path, const spectrogram_picture& picture) {
  std::optional<atomic_file> file;
  draw_checked("write_spectrogram_png", picture, [&] {
    file.emplace(path);
    return [&file](const void* bytes, std::size_t count) { file->write(bytes, count); };
  });
  file->commit();
}

}  // namespace papilio

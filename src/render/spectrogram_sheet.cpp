#include "render/spectrogram_sheet.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "render/canvas.hpp"
#include "render/level_raster.hpp"
#include "render/sheets.hpp"
#include "render/spectrogram_axes.hpp"

namespace papilio::render_detail {
namespace {

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

/// The step of the bar that shows the middle of pixel `from_top` of `height`.
std::uint8_t bar_index(std::size_t from_top, std::size_t height) {
  return static_cast<std::uint8_t>((2 * (height - 1 - from_top) + 1) * color_steps / (2 * height));
}

level_raster raster_of(const spectrogram_picture& p, std::size_t panel, const plot_extent& plot) {
  return {
      p.panels[panel].level_db, plot.width, plot.height, {p.floor_db, p.ceiling_db, color_steps}};
}

void draw_png(const spectrogram_picture& picture, const spectrogram_layout& layout,
              byte_sink sink) {
  canvas sheet(layout.width, layout.height);
  draw_spectrogram_axes(sheet, layout, picture);
  sheet.finish();

  std::vector<level_raster> rasters;
  for (std::size_t i = 0; i < layout.panels.size(); ++i)
    rasters.push_back(raster_of(picture, i, layout.panels[i]));
  png_writer png(std::move(sink), layout.width, layout.height, palette_of(picture.colors));
  std::vector<std::uint8_t> pixels(layout.width);
  const std::span<std::uint8_t> row(pixels);
  for (std::size_t y = 0; y < layout.height; ++y) {
    std::ranges::transform(sheet.row(y), pixels.begin(), ink_index);
    for (std::size_t i = 0; i < rasters.size(); ++i) {
      const plot_extent& panel = layout.panels[i];
      if (y >= panel.top && y < panel.top + panel.height)
        rasters[i].draw_row(y - panel.top, row.subspan(panel.left, panel.width));
    }
    if (y >= layout.plot.top && y < layout.plot_bottom())
      std::ranges::fill(row.subspan(layout.bar_left, layout.bar_width),
                        bar_index(y - layout.plot.top, layout.plot.height));
    png.write_row(pixels);
  }
  png.finish();
}

std::uint32_t color_word(const rgb& c) {
  return static_cast<std::uint32_t>(c.red) << 16 | static_cast<std::uint32_t>(c.green) << 8 |
         c.blue;
}

void draw_page(const spectrogram_picture& picture, const spectrogram_layout& layout,
               picture_format format, byte_sink sink) {
  page sheet(format, std::move(sink), layout.width, layout.height);
  const palette_type palette = palette_of(picture.colors);
  sheet.set_color({ink_value, ink_value, ink_value});
  draw_spectrogram_axes(sheet, layout, picture);

  std::vector<std::uint8_t> steps(layout.plot.width);
  for (std::size_t i = 0; i < layout.panels.size(); ++i) {
    const plot_extent& panel = layout.panels[i];
    level_raster raster = raster_of(picture, i, panel);
    sheet.image(panel, [&](std::size_t y, std::span<std::uint32_t> row) {
      raster.draw_row(y, steps);
      std::ranges::transform(steps, row.begin(),
                             [&](std::uint8_t step) { return color_word(palette[step]); });
    });
  }
  const plot_extent bar{layout.bar_left, layout.plot.top, layout.bar_width, layout.plot.height};
  sheet.image(bar, [&](std::size_t y, std::span<std::uint32_t> row) {
    std::ranges::fill(row, color_word(palette[bar_index(y, bar.height)]));
  });
  sheet.finish();
}

}  // namespace

void draw_spectrogram(const spectrogram_picture& picture, const spectrogram_layout& layout,
                      picture_format format, byte_sink sink) {
  if (format == picture_format::png)
    draw_png(picture, layout, std::move(sink));
  else
    draw_page(picture, layout, format, std::move(sink));
}

}  // namespace papilio::render_detail

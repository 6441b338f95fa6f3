#include "render/spectrogram_sheet.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "render/canvas.hpp"
#include "render/frequency_overlay.hpp"
#include "render/level_raster.hpp"
#include "render/sheets.hpp"
#include "render/spectrogram_axes.hpp"
#include "render/theme.hpp"

namespace papilio::render_detail {
namespace {

// The palette: the colour scale, then shades from paper to ink for lines and antialiased text.
constexpr int ink_steps = 32;

std::uint8_t ink_index(std::uint8_t coverage) {
  return static_cast<std::uint8_t>(color_steps + (coverage * (ink_steps - 1) + 127) / 255);
}

/// Returns the step of the bar that shows the middle of pixel `from_top` of `height`.
std::uint8_t bar_index(std::size_t from_top, std::size_t height) {
  return static_cast<std::uint8_t>((2 * (height - 1 - from_top) + 1) * color_steps / (2 * height));
}

/// Returns levels as they lie in the plot: rows from the lowest up.
view<const float, 2> as_drawn(const spectrogram_picture& p, const view<const float, 2>& levels) {
  if (!p.waterfall) return levels;
  // The first column of a waterfall is the upper row.
  const auto columns = static_cast<std::ptrdiff_t>(levels.extent(1));
  return view<const float, 2>(levels.data() + (columns - 1) * levels.stride(1),
                              {levels.extent(1), levels.extent(0)},
                              {-levels.stride(1), levels.stride(0)});
}

/// Whether ink, not paper, is the lighter of both, which shows over levels.
bool ink_is_light(const spectrogram_picture& p) { return p.theme == picture_theme::dark; }

/// Draws the overlay's part of a row of pixels; `ink` is the coverage by text in that row.
void lay_over(const frequency_overlay& overlay, std::size_t y, std::uint8_t light,
              std::span<const std::uint8_t> ink, std::span<std::uint8_t> row) {
  for (const plot_extent& line : overlay.lines) {
    if (y < line.top || y >= line.top + line.height) continue;
    for (std::size_t x = 0; x < line.width; ++x)
      if (overlay.is_dot(line.width > line.height ? x : y - line.top)) row[line.left + x] = light;
  }
  const auto cover = [&](const std::vector<plot_extent>& parts, std::uint8_t color) {
    for (const plot_extent& part : parts)
      if (y >= part.top && y < part.top + part.height)
        std::ranges::fill(row.subspan(part.left, part.width), color);
  };
  cover(overlay.edges, ink_index(light == ink_index(255) ? 0 : 255));
  cover(overlay.curve, light);
  for (const frequency_overlay::box& box : overlay.boxes)
    if (y >= box.where.top && y < box.where.top + box.where.height)
      for (std::size_t x = box.where.left; x < box.where.left + box.where.width; ++x)
        row[x] = ink_index(ink[x]);
}

std::uint32_t color_word(const rgb& c) {
  return static_cast<std::uint32_t>(c.red) << 16 | static_cast<std::uint32_t>(c.green) << 8 |
         c.blue;
}

void draw_overlay(drawing& sheet, const frequency_overlay& overlay, const theme_colors& theme,
                  bool ink_shows) {
  sheet.set_color(ink_shows ? theme.ink : theme.paper);
  const std::array<double, 2> dashes{static_cast<double>(overlay.dot),
                                     static_cast<double>(overlay.period - overlay.dot)};
  for (const plot_extent& line : overlay.lines) {
    const auto left = static_cast<double>(line.left), top = static_cast<double>(line.top);
    const auto width = static_cast<double>(line.width), height = static_cast<double>(line.height);
    const std::array<point, 2> ends =
        width > height
            ? std::array<point, 2>{{{left, top + 0.5 * height}, {left + width, top + 0.5 * height}}}
            : std::array<point, 2>{{{left + 0.5 * width, top}, {left + 0.5 * width, top + height}}};
    sheet.polyline(ends, std::min(width, height), dashes);
  }
  const auto cover = [&](const std::vector<plot_extent>& parts, const rgb& color) {
    sheet.set_color(color);
    for (const plot_extent& part : parts)
      sheet.fill(static_cast<double>(part.left), static_cast<double>(part.top),
                 static_cast<double>(part.width), static_cast<double>(part.height));
  };
  cover(overlay.edges, ink_shows ? theme.paper : theme.ink);
  cover(overlay.curve, ink_shows ? theme.ink : theme.paper);
  for (const frequency_overlay::box& box : overlay.boxes) {
    sheet.set_color(theme.paper);
    sheet.fill(static_cast<double>(box.where.left), static_cast<double>(box.where.top),
               static_cast<double>(box.where.width), static_cast<double>(box.where.height));
    sheet.set_color(theme.ink);
    sheet.text(box.text, box.start.x, box.start.y, anchor::start, overlay.text_size);
  }
}

void draw_page(const spectrogram_picture& picture, const spectrogram_layout& layout,
               picture_format format, byte_sink sink) {
  const theme_colors theme = colors_of(picture.theme, "draw_page");
  page sheet(format, std::move(sink),
             {layout.width, layout.height, picture.dpi.value_or(96), theme.paper});
  const std::vector<rgb> palette = palette_of(picture);
  draw_spectrogram_axes(sheet, layout, picture);

  std::vector<std::uint8_t> steps(layout.plot.width);
  for (std::size_t i = 0; i < layout.panels.size(); ++i) {
    const plot_extent& panel = layout.panels[i];
    level_raster raster = raster_of(picture, i, panel);
    steps.resize(panel.width);
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
  draw_overlay(sheet, overlay_of(sheet, layout, picture), theme, ink_is_light(picture));
  sheet.finish();
}

}  // namespace

level_raster raster_of(const spectrogram_picture& p, std::size_t panel, const plot_extent& plot) {
  return {as_drawn(p, p.panels[panel].level_db),
          plot.width,
          plot.height,
          {p.floor_db, p.ceiling_db, color_steps}};
}

std::vector<rgb> palette_of(const spectrogram_picture& picture) {
  const theme_colors theme = colors_of(picture.theme, "palette_of");
  std::vector<rgb> palette;
  for (int i = 0; i < color_steps; ++i)
    palette.push_back(color_at(picture.colors, i / double{color_steps - 1}));
  for (int i = 0; i < ink_steps; ++i) {
    const auto between = [&](std::uint8_t paper, std::uint8_t ink) {
      return static_cast<std::uint8_t>(paper - i * (paper - ink) / (ink_steps - 1));
    };
    palette.push_back({between(theme.paper.red, theme.ink.red),
                       between(theme.paper.green, theme.ink.green),
                       between(theme.paper.blue, theme.ink.blue)});
  }
  return palette;
}

void draw_rows(const spectrogram_picture& picture, const spectrogram_layout& layout,
               function_ref<void(std::span<const std::uint8_t>)> take) {
  canvas sheet(layout.width, layout.height);
  draw_spectrogram_axes(sheet, layout, picture);
  const frequency_overlay overlay = overlay_of(sheet, layout, picture);
  for (const frequency_overlay::box& box : overlay.boxes)
    sheet.text(box.text, box.start.x, box.start.y, anchor::start, overlay.text_size);
  sheet.finish();

  std::vector<level_raster> rasters;
  for (std::size_t i = 0; i < layout.panels.size(); ++i)
    rasters.push_back(raster_of(picture, i, layout.panels[i]));
  const std::uint8_t light = ink_index(ink_is_light(picture) ? 255 : 0);
  std::vector<std::uint8_t> pixels(layout.width);
  const std::span<std::uint8_t> row(pixels);
  for (std::size_t y = 0; y < layout.height; ++y) {
    std::ranges::transform(sheet.row(y), pixels.begin(), ink_index);
    for (std::size_t i = 0; i < rasters.size(); ++i) {
      const plot_extent& panel = layout.panels[i];
      if (y >= panel.top && y < panel.top + panel.height)
        rasters[i].draw_row(y - panel.top, row.subspan(panel.left, panel.width));
    }
    if (y >= layout.plot.top && y < layout.plot_bottom()) {
      lay_over(overlay, y, light, sheet.row(y), row);
      std::ranges::fill(row.subspan(layout.bar_left, layout.bar_width),
                        bar_index(y - layout.plot.top, layout.plot.height));
    }
    take(pixels);
  }
}

void draw_spectrogram(const spectrogram_picture& picture, const spectrogram_layout& layout,
                      picture_format format, byte_sink sink) {
  if (format != picture_format::png) return draw_page(picture, layout, format, std::move(sink));
  png_writer png(std::move(sink), layout.width, layout.height, palette_of(picture), picture.dpi);
  draw_rows(picture, layout, [&](std::span<const std::uint8_t> row) { png.write_row(row); });
  png.finish();
}

}  // namespace papilio::render_detail

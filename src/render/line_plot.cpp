#include "papilio/render.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "papilio/base/atomic_file.hpp"
#include "papilio/base/error.hpp"
#include "render/canvas.hpp"
#include "render/line_plot_axes.hpp"
#include "render/plot_marks.hpp"
#include "render/png_writer.hpp"
#include "render/sheets.hpp"
#include "render/spectrogram_layout.hpp"
#include "render/theme.hpp"

namespace papilio {
namespace {

using namespace render_detail;

constexpr std::size_t points_per_stroke = 2000;
constexpr std::size_t strip_pixels = std::size_t{1} << 22;

void require_range(const char* f, const char* field, const value_range& r, bool positive) {
  const double largest = std::max(std::abs(r.low), std::abs(r.high));
  if (!(is_drawable(r.low) && is_drawable(r.high) && r.high - r.low >= 1e-9 * largest &&
        r.high - r.low >= 1e-290))
    throw invalid_argument(base_detail::message(
        f, ": ", field,
        " must be finite, at most 1e300 in magnitude, and rise by 1e-9 of that, not ", r.low,
        " to ", r.high));
  if (positive && !(r.low > 0))
    throw invalid_argument(base_detail::message(
        f, ": ", field, " must be above 0 on a logarithmic axis, not ", r.low, " to ", r.high));
}

void require_curve(const char* f, const line_curve& curve, std::size_t index) {
  if (!curve.x.empty() && curve.x.size() != curve.y.size())
    throw shape_error(base_detail::message(f, ": curves[", index, "] has ", curve.x.size(),
                                           " x for ", curve.y.size(), " y"));
  if (curve.x.empty() && !(is_drawable(curve.first_x) && is_drawable(curve.step_x)))
    throw invalid_argument(base_detail::message(f, ": curves[", index,
                                                "]: first_x and step_x must be finite, not ",
                                                curve.first_x, " and ", curve.step_x));
}

void require_plot(const char* f, const line_plot& plot) {
  require_side(f, "width", plot.width, minimum_picture_width);
  require_side(f, "height", plot.height, minimum_picture_height);
  colors_of(plot.theme, f);
  pixel_scale(plot.dpi, f);
  if (plot.curves.empty() == plot.lanes.empty())
    throw shape_error(base_detail::message(f, ": there must be curves or lanes, and not both"));
  if (plot.lanes.size() > most_plot_lanes)
    throw shape_error(base_detail::message(f, ": lanes must be at most ", most_plot_lanes, ", not ",
                                           plot.lanes.size()));
  if (plot.marks.size() > most_plot_marks)
    throw shape_error(base_detail::message(f, ": marks must be at most ", most_plot_marks, ", not ",
                                           plot.marks.size()));
  for (std::size_t i = 0; i < plot.curves.size(); ++i) require_curve(f, plot.curves[i], i);
  if (plot.x_range)
    require_range(f, "x_range", *plot.x_range, plot.x_scale == axis_scale::logarithmic);
  if (plot.y_range)
    require_range(f, "y_range", *plot.y_range, plot.y_scale == axis_scale::logarithmic);
}

/// Draws a line in pieces, because the time a stroke takes grows faster than its length.
void draw_line(drawing& sheet, const line_plot_layout& l, const std::vector<point>& line,
               const line_style& style, bool is_mark) {
  std::vector<point> piece;
  const double width = curve_width(l) * (is_mark ? 8 : line.size() == 1 ? 3 : 1);
  std::vector<double> dashes(style.dashes.begin(), style.dashes.end());
  for (double& length : dashes) length *= width;
  for (std::size_t first = 0; first == 0 || first + 1 < line.size(); first += points_per_stroke) {
    piece.clear();
    const std::size_t last = std::min(line.size(), first + points_per_stroke + 1);
    for (std::size_t i = first; i < last; ++i)
      piece.push_back({l.left() + line[i].x, l.bottom() - line[i].y});
    sheet.polyline(piece, width, dashes);
  }
}

/// Every bar is at least a third of a pixel wide, so that short work shows.
void draw_lanes(drawing& sheet, const line_plot& plot, const line_plot_layout& l) {
  const double row = l.axes.y.length / static_cast<double>(plot.lanes.size());
  for (std::size_t i = 0; i < plot.lanes.size(); ++i) {
    const double top = l.top() + static_cast<double>(i) * row;
    sheet.set_color(style_of(plot.lanes[i].color, plot.theme).color);
    for (const value_range& bar : bars_of(plot.lanes[i], l.axes))
      sheet.fill(l.left() + bar.low, top + 0.14 * row, std::max(bar.high - bar.low, 1.0 / 3),
                 0.72 * row);
  }
}

/// Contents of the plot, each in its place.
struct plot_contents {
  std::vector<line_path> paths = {};
  std::optional<plot_legend> legend = {};
  std::vector<placed_mark> marks = {};
};

plot_contents contents_of(const text_ruler& ruler, const line_plot& plot, const line_plot_layout& l,
                          double cells_per_pixel) {
  plot_contents made;
  for (const line_curve& curve : plot.curves)
    made.paths.push_back(path_of(curve, l.axes, cells_per_pixel));
  if (plot.curves.size() > 1) made.legend = place_legend(ruler, l, plot, made.paths);
  made.marks = place_marks(ruler, l, plot, made.paths, made.legend);
  return made;
}

void draw_plot(drawing& sheet, const line_plot& plot, const line_plot_layout& l,
               const plot_contents& of) {
  draw_grid(sheet, l, colors_of(plot.theme, "draw_plot"));
  sheet.clip(l.left(), l.top(), l.axes.x.length, l.axes.y.length);
  for (std::size_t i = of.paths.size(); i-- > 0;) {
    const line_style style = style_of(i, plot.theme);
    sheet.set_color(style.color);
    const bool is_mark = plot.curves[i].y.size() == 1;
    for (const std::vector<point>& line : of.paths[i]) draw_line(sheet, l, line, style, is_mark);
  }
  draw_lanes(sheet, plot, l);
  draw_marks(sheet, l, plot, of.marks);
  sheet.unclip();
  draw_line_plot_axes(sheet, l, plot);
  if (of.legend) draw_legend(sheet, l, plot, *of.legend);
}

/// Plots one above the other, each with what stands in it.
struct plot_stack {
  std::span<const line_plot> plots;
  std::vector<line_plot_layout> layouts = {};
  std::vector<plot_contents> contents = {};

  std::size_t width() const { return layouts.front().width; }
  std::size_t height() const {
    std::size_t sum = 0;
    for (const line_plot_layout& l : layouts) sum += l.height;
    return sum;
  }
  void add_contents(const text_ruler& ruler, double cells_per_pixel) {
    for (std::size_t i = 0; i < plots.size(); ++i)
      contents.push_back(contents_of(ruler, plots[i], layouts[i], cells_per_pixel));
  }
  void draw(drawing& sheet) const {
    double down = 0;
    for (std::size_t i = 0; i < plots.size(); ++i) {
      draw_plot(sheet, plots[i], layouts[i], contents[i]);
      sheet.move_origin(static_cast<double>(layouts[i].height));
      down += static_cast<double>(layouts[i].height);
    }
    sheet.move_origin(-down);
  }
};

/// Plots whose x axes stand one above the other: they begin where that with the widest labels does.
plot_stack lay_out(std::span<const line_plot> plots) {
  const canvas ruler(1, 1);
  plot_stack stack{.plots = plots};
  std::size_t left = 0;
  for (const line_plot& plot : plots)
    left = std::max(left, lay_out_line_plot(ruler, plot).plot.left);
  for (const line_plot& plot : plots) stack.layouts.push_back(lay_out_line_plot(ruler, plot, left));
  return stack;
}

void write_png(plot_stack stack, byte_sink sink) {
  const line_plot& first = stack.plots.front();
  const std::size_t width = stack.width(), height = stack.height();
  const std::size_t rows = std::clamp<std::size_t>(strip_pixels / width, 1, height);
  color_strip strip(width, rows, colors_of(first.theme, "write_png").paper);
  stack.add_contents(strip, 1);
  png_writer png(std::move(sink), width, height, first.dpi);
  std::vector<std::uint8_t> bytes(3 * width);
  for (std::size_t top = 0; top < height; top += rows) {
    strip.begin(top);
    stack.draw(strip);
    strip.finish();
    for (std::size_t y = 0; y < std::min(rows, height - top); ++y) {
      auto byte = bytes.begin();
      for (const std::uint32_t pixel : strip.row(y))
        for (const int shift : {16, 8, 0}) *byte++ = static_cast<std::uint8_t>(pixel >> shift);
      png.write_row(bytes);
    }
  }
  png.finish();
}

void write_page(plot_stack stack, picture_format format, byte_sink sink) {
  const line_plot& first = stack.plots.front();
  page sheet(format, std::move(sink),
             {stack.width(), stack.height(), first.dpi.value_or(96),
              colors_of(first.theme, "write_page").paper});
  stack.add_contents(sheet, 4);
  stack.draw(sheet);
  sheet.finish();
}

void require_stack(const char* f, std::span<const line_plot> plots) {
  if (plots.empty()) throw shape_error(base_detail::message(f, ": there must be plots"));
  std::size_t height = 0;
  for (const line_plot& plot : plots) {
    require_plot(f, plot);
    height += plot.height;
    const line_plot& first = plots.front();
    if (plot.width != first.width || plot.theme != first.theme || plot.dpi != first.dpi)
      throw invalid_argument(
          base_detail::message(f, ": plots must have one width, theme and dpi, got widths ",
                               first.width, " and ", plot.width));
  }
  if (plots.size() > 1) require_side(f, "height", height, minimum_picture_height);
}

/// Checks every field before `make_sink` is called, so that a refusal touches no file.
template <class MakeSink>
void draw_checked(const char* function, std::span<const line_plot> plots, picture_format format,
                  MakeSink make_sink) {
  require_stack(function, plots);
  try {
    plot_stack stack = lay_out(plots);
    if (format == picture_format::png)
      write_png(std::move(stack), make_sink());
    else
      write_page(std::move(stack), format, make_sink());
  } catch (const std::bad_alloc&) {
    throw resource_error(base_detail::message(function, ": no memory for a plot of ",
                                              plots.front().width, " x ", plots.front().height));
  } catch (const std::length_error&) {
    throw resource_error(base_detail::message(function, ": the curves have too many points"));
  }
}

std::vector<std::byte> image_of(const char* function, std::span<const line_plot> plots,
                                picture_format format) {
  std::vector<std::byte> file;
  draw_checked(function, plots, format, [&] {
    return [&file](const void* bytes, std::size_t count) {
      const auto* const first = static_cast<const std::byte*>(bytes);
      file.insert(file.end(), first, first + count);
    };
  });
  return file;
}

}  // namespace

std::vector<std::byte> line_plot_image(const line_plot& plot, picture_format format) {
  return image_of("line_plot_image", std::span(&plot, 1), format);
}

std::vector<std::byte> stacked_plots_image(std::span<const line_plot> plots,
                                           picture_format format) {
  return image_of("stacked_plots_image", plots, format);
}

void write_line_plot(const std::filesystem::path& path, const line_plot& plot) {
  const picture_format format = picture_format_of(path);
  std::optional<atomic_file> file;
  draw_checked("write_line_plot", std::span(&plot, 1), format, [&] {
    file.emplace(path);
    return [&file](const void* bytes, std::size_t count) { file->write(bytes, count); };
  });
  file->commit();
}

}  // namespace papilio

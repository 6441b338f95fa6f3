#include "render/line_plot_axes.hpp"

#include <algorithm>
#include <cmath>

#include "render/spectrogram_layout.hpp"

namespace papilio::render_detail {
namespace {

constexpr double most_label_ems = 6;

std::string title_of(const std::string& quantity, const std::string& unit) {
  if (quantity.empty() || unit.empty()) return quantity + unit;
  return axis_title(quantity, unit);
}

double largest_of(const axis& a) { return std::max(std::abs(a.low), std::abs(a.high)); }

/// Labels with an exponent where plain ones would be too long.
void relabel(tick_marks& marks, const axis& a, double unit) {
  for (label& l : marks.labels)
    l.text = format_axis_value(l.at / unit, marks.step.major / unit, largest_of(a) / unit);
}

void lay_out_x(const text_ruler& ruler, const line_plot& plot, line_plot_layout& l) {
  const axis& x = l.axes.x;
  const bool hertz = plot.x_unit == "Hz";
  l.x_title = title_of(plot.x_quantity, plot.x_unit);
  if (plot.x_scale == axis_scale::logarithmic) {
    logarithmic_marks marks = logarithmic_marks_of(ruler, x, hertz, l.em);
    l.x_marks.labels = std::move(marks.labels);
    if (hertz && plot.x_range)
      add_ends(ruler, x, l.x_marks.labels, l.em, running::right, most_label_ems * l.em,
               [](double at) { return hertz_text(std::pow(10.0, at)); });
    l.x_minor = std::move(marks.minor);
    return;
  }
  const frequency_unit unit =
      hertz ? frequency_unit_for(largest_of(x)) : frequency_unit{1, plot.x_unit.c_str()};
  l.x_title = title_of(plot.x_quantity, unit.name);
  l.x_marks = horizontal_marks(ruler, x, unit.hz, l.em);
  if (hertz && plot.x_range)
    add_ends(ruler, x, l.x_marks.labels, l.em, running::right, most_label_ems * l.em,
             [&](double hz) { return end_text(hz / unit.hz, x.span() / unit.hz / 1000); });
  l.x_minor = minor_ticks(x, l.x_marks.step, l.em);
}

void lay_out_y(const text_ruler& ruler, const line_plot& plot, line_plot_layout& l) {
  const axis& y = l.axes.y;
  if (!plot.lanes.empty()) {
    for (std::size_t i = plot.lanes.size(); i-- > 0;)
      l.y_marks.labels.push_back(
          {static_cast<double>(plot.lanes.size() - i) - 0.5, plot.lanes[i].name});
    l.y_marks.labels = uncrowded(ruler, y, std::move(l.y_marks.labels), l.em, running::up);
    return;
  }
  if (plot.y_scale == axis_scale::logarithmic) {
    logarithmic_marks marks = logarithmic_marks_of(ruler, y, false, l.em, running::up);
    l.y_marks.labels = std::move(marks.labels);
    l.y_minor = std::move(marks.minor);
    return;
  }
  l.y_marks = vertical_marks(y, 1, l.em);
  relabel(l.y_marks, y, 1);
  l.y_minor = minor_ticks(y, l.y_marks.step, l.em);
}

void place_texts(line_plot_layout& l, double label_width) {
  const double beside_axis = l.line + l.tick + l.label_gap;
  l.title_baseline = l.pad + share(0.95, l.em);
  l.x_label_baseline = l.bottom() + beside_axis + share(0.75, l.em);
  l.x_title_baseline = static_cast<double>(l.height) - l.pad - l.descent;
  l.y_title_baseline = l.left() - beside_axis - label_width - share(0.5, l.em) - l.descent;
}

}  // namespace

line_plot_layout lay_out_line_plot(const text_ruler& ruler, const line_plot& plot,
                                   std::size_t least_left) {
  line_plot_layout l;
  l.width = plot.width;
  l.height = plot.height;
  const int em = l.em = em_of(static_cast<double>(l.width), static_cast<double>(l.height),
                              pixel_scale(plot.dpi, "lay_out_line_plot"));
  l.line = std::max(1, share(1.0 / 14, em));
  l.tick = share(0.4, em);
  l.minor_tick = share(0.22, em);
  l.pad = share(0.6, em);
  l.label_gap = share(0.3, em);
  l.descent = share(0.24, em);
  l.title_size = 1.2 * em;
  l.y_title = title_of(plot.y_quantity, plot.y_unit);
  const int beside_axis = l.line + l.tick + l.label_gap;
  const int top = l.pad + share(plot.title.empty() ? 0.5 : 1.95, em);
  const bool x_titled = !plot.x_quantity.empty() || !plot.x_unit.empty();
  const int bottom = beside_axis + share(0.8, em) + (x_titled ? share(0.5, em) + em : 0) + l.pad;
  l.plot.top = static_cast<std::size_t>(top);
  l.plot.height = l.height - static_cast<std::size_t>(top + bottom);

  l.axes = axes_of(plot, 1, static_cast<double>(l.plot.height));
  lay_out_y(ruler, plot, l);
  const double label_width = std::min(widest(ruler, l.y_marks.labels, em), most_label_ems * em);
  const int wanted_left = beside_axis + static_cast<int>(std::ceil(label_width)) + l.pad +
                          (l.y_title.empty() ? 0 : share(0.5, em) + em);
  const int left = std::max(wanted_left, static_cast<int>(least_left));
  l.plot.left = static_cast<std::size_t>(left);
  l.plot.width = l.width - static_cast<std::size_t>(left + l.pad + share(1.6, em));
  l.axes.x.length = static_cast<double>(l.plot.width);
  lay_out_x(ruler, plot, l);
  place_texts(l, label_width);
  return l;
}

void draw_grid(drawing& sheet, const line_plot_layout& l, const theme_colors& colors) {
  sheet.set_color(colors.grid);
  const double line = std::max(1, l.line);
  for (const label& mark : l.x_marks.labels)
    sheet.fill(l.left() + l.axes.x.pixel(mark.at, line), l.top(), line, l.axes.y.length);
  for (const label& mark : l.y_marks.labels)
    sheet.fill(l.left(), l.bottom() - l.axes.y.pixel(mark.at, line) - line, l.axes.x.length, line);
}

namespace {

void draw_x_axis(drawing& sheet, const line_plot_layout& l) {
  const axis& a = l.axes.x;
  const auto draw_tick = [&](double value, double length) {
    sheet.fill(l.left() + a.pixel(value, l.line), l.bottom() + l.line, l.line, length);
  };
  for (const double value : l.x_minor) draw_tick(value, l.minor_tick);
  for (const label& mark : l.x_marks.labels) {
    draw_tick(mark.at, l.tick);
    // A label at the end of the axis may be wider than the margin there.
    const double half = 0.5 * sheet.text_width(mark.text, l.em);
    const double most = static_cast<double>(l.width) - 0.5 * l.pad - half;
    const double middle = l.left() + a.pixel(mark.at, l.line) + 0.5 * l.line;
    sheet.text(mark.text, std::min(middle, most), l.x_label_baseline, anchor::middle, l.em);
  }
  const double room = static_cast<double>(l.width) - 2 * l.pad;
  const double middle = std::clamp(l.left() + 0.5 * a.length, 0.0, static_cast<double>(l.width));
  const double allowed =
      std::min(room, 2 * std::min(middle, static_cast<double>(l.width) - middle));
  sheet.text(l.x_title, middle, l.x_title_baseline, anchor::middle, l.em, allowed);
}

void draw_y_axis(drawing& sheet, const line_plot_layout& l) {
  const axis& a = l.axes.y;
  const auto draw_tick = [&](double value, double length) {
    sheet.fill(l.left() - l.line - length, l.bottom() - a.pixel(value, l.line) - l.line, length,
               l.line);
  };
  for (const double value : l.y_minor) draw_tick(value, l.minor_tick);
  const double natural = widest(sheet, l.y_marks.labels, l.em);
  const double size =
      natural > most_label_ems * l.em ? l.em * most_label_ems * l.em / natural : l.em;
  const double half_digit = sheet.digit_height(size) / 2;
  for (const label& mark : l.y_marks.labels) {
    draw_tick(mark.at, l.tick);
    const double middle = l.bottom() - a.pixel(mark.at, l.line) - 0.5 * l.line;
    sheet.text(mark.text, l.left() - l.line - l.tick - l.label_gap, std::round(middle + half_digit),
               anchor::end, size);
  }
  const double middle = l.top() + 0.5 * a.length;
  const double room = 2 * std::min(middle, static_cast<double>(l.height) - middle) - 2 * l.pad;
  sheet.vertical_text(l.y_title, l.y_title_baseline, middle, l.em, room);
}

void draw_title(drawing& sheet, const line_plot_layout& l, const std::string& title) {
  if (title.empty()) return;
  const double room = static_cast<double>(l.width) - 2 * l.pad;
  const double half = 0.5 * sheet.text_width(title, l.title_size, room);
  const double most = static_cast<double>(l.width) - l.pad - half;
  const double wished = l.left() + 0.5 * l.axes.x.length;
  sheet.text(title, std::max(std::min(wished, most), l.pad + half), l.title_baseline,
             anchor::middle, l.title_size, room);
}

}  // namespace

void draw_line_plot_axes(drawing& sheet, const line_plot_layout& l, const line_plot& plot) {
  sheet.set_color(colors_of(plot.theme, "draw_line_plot_axes").ink);
  draw_frame(sheet, l.left(), l.top(), l.axes.x.length, l.axes.y.length, l.line);
  draw_x_axis(sheet, l);
  draw_y_axis(sheet, l);
  draw_title(sheet, l, plot.title);
}

}  // namespace papilio::render_detail

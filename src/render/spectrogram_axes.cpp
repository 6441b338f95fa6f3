#include "render/spectrogram_axes.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "render/frequency_marks.hpp"
#include "render/theme.hpp"

namespace papilio::render_detail {
namespace {

enum class side { left, right };

/// Draws ticks and labels beside the rows from `top` on; returns how far from the axis they reach.
double draw_vertical_axis(drawing& sheet, const spectrogram_layout& l, double edge, double top,
                          const axis_marks& marks, side where) {
  const axis& a = marks.where;
  const double sign = where == side::left ? -1 : 1, bottom = top + a.length;
  const auto draw_tick = [&](double value, double length) {
    const double from = edge + sign * l.line, to = from + sign * length;
    sheet.fill(std::min(from, to), bottom - a.pixel(value, l.line) - l.line, length, l.line);
  };
  for (double value : marks.minor) draw_tick(value, l.minor_tick);
  const double natural = widest(sheet, marks.labels, l.em);
  const double width = std::min<double>(natural, l.side_label_width);
  const double size = natural > 0 ? l.em * width / natural : l.em;
  const double beside = l.line + l.tick + l.label_gap;
  const double half_digit = sheet.digit_height(size) / 2;
  for (const label& mark : marks.labels) {
    draw_tick(mark.at, l.tick);
    const double middle = bottom - a.pixel(mark.at, l.line) - 0.5 * l.line;
    sheet.text(mark.text, edge + sign * beside, std::round(middle + half_digit),
               where == side::left ? anchor::end : anchor::start, size);
  }
  return beside + width;
}

/// Draws a title beside the rows of a plot or a strip.
void draw_vertical_title(drawing& sheet, const spectrogram_layout& l, const plot_extent& beside,
                         const std::string& text, double baseline) {
  const double middle = static_cast<double>(beside.top) + 0.5 * static_cast<double>(beside.height);
  const double room = 2 * std::min(middle, static_cast<double>(l.height) - middle) - 2 * l.pad;
  sheet.vertical_text(text, baseline, middle, l.em, room);
}

axis_marks time_axis(const drawing& sheet, const spectrogram_layout& l,
                     const spectrogram_picture& p, double length, running way) {
  const double room = way == running::up ? l.side_label_width : 4 * l.em;
  return time_marks_of(sheet, p.start_seconds, p.duration_seconds, length, l.em, room, way);
}

axis_marks frequency_axis_of(const drawing& sheet, const spectrogram_layout& l,
                             const spectrogram_picture& p, double length, running way) {
  const double room = way == running::up ? l.side_label_width : 4 * l.em;
  return frequency_marks_of(sheet, {p.scale, p.low_hz, p.high_hz}, length, l.em, room, way);
}

/// Draws the axes at the left of every panel that has none to its left.
void draw_left_axes(drawing& sheet, const spectrogram_layout& l, const spectrogram_picture& p) {
  const auto length = static_cast<double>(l.panels.front().height);
  const axis_marks marks = p.waterfall ? reversed(time_axis(sheet, l, p, length, running::up))
                                       : frequency_axis_of(sheet, l, p, length, running::up);
  const auto left = static_cast<double>(l.plot.left);
  double reach = 0;
  for (const plot_extent& panel : l.panels)
    if (panel.left == l.plot.left)
      reach = draw_vertical_axis(sheet, l, left, static_cast<double>(panel.top), marks, side::left);
  draw_vertical_title(sheet, l, l.plot, marks.title, left - reach - l.side_title_gap - l.descent);
}

void draw_level_axis(drawing& sheet, const spectrogram_layout& l, const spectrogram_picture& p) {
  const axis a{p.floor_db, p.ceiling_db, static_cast<double>(l.plot.height)};
  axis_marks marks{a, vertical_marks(a, 1, l.em).labels, {}, p.level_quantity};
  if (!p.level_unit.empty()) marks.title = axis_title(p.level_quantity, p.level_unit);
  add_ends(sheet, a, marks.labels, l.em, running::up, l.side_label_width,
           [&](double db) { return end_text(db, a.span() / 200); });
  const auto edge = static_cast<double>(l.bar_right());
  const double reach =
      draw_vertical_axis(sheet, l, edge, static_cast<double>(l.plot.top), marks, side::right);
  const double beside = edge + reach + l.side_title_gap;
  if (!p.level_unit.empty())
    draw_vertical_title(sheet, l, l.plot, marks.title, beside + l.em - l.descent);
}

/// Draws the strip, filled between its curves, with its axis at the left.
void draw_strip(drawing& sheet, const spectrogram_layout& l, const spectrogram_strip& strip,
                const rgb& ink) {
  const plot_extent& e = *l.strip;
  const auto left = static_cast<double>(e.left), top = static_cast<double>(e.top);
  const axis a{strip.low, strip.high, static_cast<double>(e.height)};
  const auto y_of = [&](float value) {
    return top + a.length * (1 - (std::clamp(value, strip.low, strip.high) - a.low) / a.span());
  };
  const double step = static_cast<double>(e.width) / static_cast<double>(strip.lower.size());
  sheet.clip(left, top, static_cast<double>(e.width), a.length);
  sheet.set_color(ink, 0.8);
  std::vector<point> upper, lower;
  const auto fill_outline = [&] {
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    if (!upper.empty()) sheet.polygon(upper);
    upper.clear();
    lower.clear();
  };
  for (std::size_t i = 0; i < strip.lower.size(); ++i) {
    if (!std::isfinite(strip.lower[i]) || !std::isfinite(strip.upper[i])) {
      fill_outline();
      continue;
    }
    // The filling is at least a line high, so that silence shows as one.
    const double high = y_of(strip.upper[i]), low = y_of(strip.lower[i]);
    const double wider = std::max(0.0, 0.5 * (l.line - (low - high)));
    const double x = left + step * static_cast<double>(i);
    for (const double at : {x, x + step}) {
      upper.push_back({at, high - wider});
      lower.push_back({at, low + wider});
    }
  }
  fill_outline();
  sheet.unclip();
  sheet.set_color(ink);
  draw_frame(sheet, left, top, static_cast<double>(e.width), a.length, l.line);
  const axis_marks marks{a, vertical_marks(a, 1, l.em).labels, {}, strip.unit};
  const double reach = draw_vertical_axis(sheet, l, left, top, marks, side::left);
  draw_vertical_title(sheet, l, e, marks.title, left - reach - l.side_title_gap - l.descent);
}

/// The caption ends at the picture's edge; the title is centred below the plot, or as near to that
/// as the caption lets it.
void draw_bottom_line(drawing& sheet, const spectrogram_layout& l, const std::string& title,
                      const std::string& caption) {
  const double left = l.pad, right = static_cast<double>(l.width) - l.pad;
  const double half = 0.5 * sheet.text_width(title, l.em);
  const double wished = static_cast<double>(l.plot.left) + 0.5 * static_cast<double>(l.plot.width);
  double middle = wished;
  if (!caption.empty()) {
    const double room = right - left - 2 * half - l.em;
    const double taken = sheet.text_width(caption, l.caption_size, room) + l.em;
    sheet.text(caption, right, l.time_title_baseline, anchor::end, l.caption_size, room);
    middle = std::min(wished, right - taken - half);
  }
  sheet.text(title, middle, l.time_title_baseline, anchor::middle, l.em);
}

/// Draws the axes below every panel that has none below it, or below the strip.
void draw_bottom_axes(drawing& sheet, const spectrogram_layout& l, const spectrogram_picture& p) {
  const auto length = static_cast<double>(l.panels.front().width);
  const axis_marks marks = p.waterfall ? frequency_axis_of(sheet, l, p, length, running::right)
                                       : time_axis(sheet, l, p, length, running::right);
  const axis& a = marks.where;
  const auto top = static_cast<double>(l.bottom());
  for (const plot_extent& panel : l.panels) {
    if (panel.top + panel.height != l.plot_bottom()) continue;
    const auto left = static_cast<double>(panel.left);
    const auto draw_tick = [&](double value, double height) {
      sheet.fill(left + a.pixel(value, l.line), top + l.line, l.line, height);
    };
    for (double value : marks.minor) draw_tick(value, l.minor_tick);
    for (const label& mark : marks.labels) {
      draw_tick(mark.at, l.tick);
      sheet.text(mark.text, left + a.pixel(mark.at, l.line) + 0.5 * l.line, l.time_label_baseline,
                 anchor::middle, l.em);
    }
  }
  draw_bottom_line(sheet, l, marks.title, p.caption);
}

/// Draws the title centred over the plot, or as near to that as the picture's edges allow.
void draw_title(drawing& sheet, const spectrogram_layout& l, const std::string& title) {
  if (title.empty()) return;
  const double room = static_cast<double>(l.width) - 2 * l.pad;
  const double half = 0.5 * sheet.text_width(title, l.title_size, room);
  const double wished = static_cast<double>(l.plot.left) + 0.5 * static_cast<double>(l.plot.width);
  const double most = static_cast<double>(l.width) - l.pad - half;
  sheet.text(title, std::max(std::min(wished, most), l.pad + half), l.title_baseline,
             anchor::middle, l.title_size, room);
}

/// Draws the names left-aligned above each of several panels.
void draw_names(drawing& sheet, const spectrogram_layout& l, const spectrogram_picture& p) {
  if (l.panels.size() < 2) return;
  for (std::size_t i = 0; i < l.panels.size(); ++i) {
    const plot_extent& panel = l.panels[i];
    sheet.text(p.panels[i].name, static_cast<double>(panel.left), l.name_baseline(panel),
               anchor::start, l.em, static_cast<double>(panel.width));
  }
}

}  // namespace

void draw_spectrogram_axes(drawing& sheet, const spectrogram_layout& l,
                           const spectrogram_picture& picture) {
  const auto top = static_cast<double>(l.plot.top), height = static_cast<double>(l.plot.height);
  const rgb ink = colors_of(picture.theme, "draw_spectrogram_axes").ink;
  sheet.set_color(ink);
  for (const plot_extent& panel : l.panels)
    draw_frame(sheet, static_cast<double>(panel.left), static_cast<double>(panel.top),
               static_cast<double>(panel.width), static_cast<double>(panel.height), l.line);
  draw_frame(sheet, static_cast<double>(l.bar_left), top, static_cast<double>(l.bar_width), height,
             l.line);
  draw_left_axes(sheet, l, picture);
  draw_level_axis(sheet, l, picture);
  draw_bottom_axes(sheet, l, picture);
  if (picture.strip) draw_strip(sheet, l, *picture.strip, ink);
  draw_names(sheet, l, picture);
  draw_title(sheet, l, picture.title);
}

}  // namespace papilio::render_detail

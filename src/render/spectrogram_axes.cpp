#include "render/spectrogram_axes.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "render/frequency_marks.hpp"

namespace papilio::render_detail {
namespace {

enum class side { left, right };

/// Ticks and labels beside the rows from `top` on; returns how far from the axis they reach.
double draw_vertical_axis(drawing& sheet, const spectrogram_layout& l, double top, const axis& a,
                          const std::vector<label>& labels, const std::vector<double>& minor,
                          side where) {
  const double edge = static_cast<double>(where == side::left ? l.plot.left : l.bar_right());
  const double sign = where == side::left ? -1 : 1, bottom = top + a.length;
  const auto draw_tick = [&](double value, double length) {
    const double from = edge + sign * l.line, to = from + sign * length;
    sheet.fill(std::min(from, to), bottom - a.pixel(value, l.line) - l.line, length, l.line);
  };
  for (double value : minor) draw_tick(value, l.minor_tick);
  const double natural = widest(sheet, labels, l.em);
  const double width = std::min<double>(natural, l.side_label_width);
  const double size = natural > 0 ? l.em * width / natural : l.em;
  const double beside = l.line + l.tick + l.label_gap;
  const double half_digit = sheet.digit_height(size) / 2;
  for (const label& mark : labels) {
    draw_tick(mark.at, l.tick);
    const double middle = bottom - a.pixel(mark.at, l.line) - 0.5 * l.line;
    sheet.text(mark.text, edge + sign * beside, std::round(middle + half_digit),
               where == side::left ? anchor::end : anchor::start, size);
  }
  return beside + width;
}

void draw_vertical_title(drawing& sheet, const spectrogram_layout& l, const std::string& text,
                         double baseline) {
  const double middle = static_cast<double>(l.plot.top) + 0.5 * static_cast<double>(l.plot.height);
  const double room = 2 * std::min(middle, static_cast<double>(l.height) - middle) - 2 * l.pad;
  sheet.vertical_text(text, baseline, middle, l.em, room);
}

void draw_frequency_axes(drawing& sheet, const spectrogram_layout& l,
                         const spectrogram_picture& p) {
  const frequency_marks marks = frequency_marks_of(
      sheet, {p.scale, p.low_hz, p.high_hz}, static_cast<double>(l.panels.front().height), l.em);
  double reach = 0;
  for (const plot_extent& panel : l.panels)
    reach = draw_vertical_axis(sheet, l, static_cast<double>(panel.top), marks.where, marks.labels,
                               marks.minor, side::left);
  const double beside = static_cast<double>(l.plot.left) - reach - l.side_title_gap;
  draw_vertical_title(sheet, l, axis_title("Frequency", marks.unit), beside - l.descent);
}

void draw_level_axis(drawing& sheet, const spectrogram_layout& l, const spectrogram_picture& p) {
  const axis a{p.floor_db, p.ceiling_db, static_cast<double>(l.plot.height)};
  const tick_marks marks = vertical_marks(a, 1, l.em);
  const double reach = draw_vertical_axis(sheet, l, static_cast<double>(l.plot.top), a,
                                          marks.labels, {}, side::right);
  const double beside = static_cast<double>(l.bar_right()) + reach + l.side_title_gap;
  if (!p.level_unit.empty())
    draw_vertical_title(sheet, l, axis_title("Level", p.level_unit), beside + l.em - l.descent);
}

std::vector<label> time_labels(const axis& a, double step, time_format format) {
  std::vector<label> labels;
  for (double value : a.ticks(step))
    labels.push_back({value, format_time_tick(value, step, format)});
  return labels;
}

/// The finest step whose labels stand clear of each other; if that would leave fewer than two of
/// them, the coarsest step that has two, with those labels left out that would touch.
tick_marks time_marks(const drawing& sheet, const axis& a, time_format format, double em) {
  tick_marks marks{nice_time_step(a.units(2.5 * em)), {}};
  for (;;) {
    marks.labels = time_labels(a, marks.step.major, format);
    if (widest(sheet, marks.labels, em) + 1.2 * em <= marks.step.major / a.units(1)) break;
    const tick_step coarser = nice_time_step(1.01 * marks.step.major);
    if (a.ticks(coarser.major).size() < 2) break;
    marks.step = coarser;
  }
  marks.labels = uncrowded(sheet, a, std::move(marks.labels), em);
  return marks;
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

void draw_time_axis(drawing& sheet, const spectrogram_layout& l, const spectrogram_picture& p) {
  const double end = p.start_seconds + p.duration_seconds;
  const time_format format = time_format_for(std::max(std::abs(p.start_seconds), std::abs(end)));
  const axis a{p.start_seconds, end, static_cast<double>(l.plot.width)};
  const double left = static_cast<double>(l.plot.left), top = static_cast<double>(l.plot_bottom());
  const auto draw_tick = [&](double value, double length) {
    sheet.fill(left + a.pixel(value, l.line), top + l.line, l.line, length);
  };
  const tick_marks marks = time_marks(sheet, a, format, l.em);
  for (double value : minor_ticks(a, marks.step, l.em)) draw_tick(value, l.minor_tick);
  for (const label& mark : marks.labels) {
    draw_tick(mark.at, l.tick);
    sheet.text(mark.text, left + a.pixel(mark.at, l.line) + 0.5 * l.line, l.time_label_baseline,
               anchor::middle, l.em);
  }
  draw_bottom_line(sheet, l, axis_title("Time", unit_label(format)), p.caption);
}

/// Centred over the plot, or as near to that as the picture's edges allow.
void draw_title(drawing& sheet, const spectrogram_layout& l, const std::string& title) {
  if (title.empty()) return;
  const double room = static_cast<double>(l.width) - 2 * l.pad;
  const double half = 0.5 * sheet.text_width(title, l.title_size, room);
  const double wished = static_cast<double>(l.plot.left) + 0.5 * static_cast<double>(l.plot.width);
  const double most = static_cast<double>(l.width) - l.pad - half;
  sheet.text(title, std::max(std::min(wished, most), l.pad + half), l.title_baseline,
             anchor::middle, l.title_size, room);
}

/// Left-aligned above each of several panels.
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
  for (const plot_extent& panel : l.panels)
    draw_frame(sheet, static_cast<double>(panel.left), static_cast<double>(panel.top),
               static_cast<double>(panel.width), static_cast<double>(panel.height), l.line);
  draw_frame(sheet, static_cast<double>(l.bar_left), top, static_cast<double>(l.bar_width), height,
             l.line);
  draw_frequency_axes(sheet, l, picture);
  draw_level_axis(sheet, l, picture);
  draw_time_axis(sheet, l, picture);
  draw_names(sheet, l, picture);
  draw_title(sheet, l, picture.title);
}

}  // namespace papilio::render_detail

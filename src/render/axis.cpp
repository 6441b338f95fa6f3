#include "render/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "render/logarithmic_marks.hpp"

namespace papilio::render_detail {

double axis::pixel(double value, double width) const {
  const double middle = (value - low) / span() * length;
  return std::clamp(std::floor(middle - (width - 1) / 2), 0.0, length - width);
}

void draw_frame(drawing& sheet, double x, double y, double width, double height, double line) {
  sheet.fill(x - line, y - line, width + 2 * line, line);
  sheet.fill(x - line, y + height, width + 2 * line, line);
  sheet.fill(x - line, y, line, height);
  sheet.fill(x + width, y, line, height);
}

std::vector<double> minor_ticks(const axis& a, const tick_step& step, double em) {
  if (step.minor < a.units(0.6 * em)) return {};
  return a.ticks(step.minor);
}

double widest(const text_ruler& ruler, const std::vector<label>& labels, double size) {
  double width = 0;
  for (const label& l : labels) width = std::max(width, ruler.text_width(l.text, size));
  return width;
}

bool are_clear(const text_ruler& ruler, const axis& a, const label& one, const label& other,
               double em, running way) {
  const double apart = std::abs(one.at - other.at);
  if (way == running::up) return apart >= a.units(least_line_ems * em);
  const double widths = ruler.text_width(one.text, em) + ruler.text_width(other.text, em);
  return apart >= a.units(0.5 * widths + em);
}

std::vector<label> uncrowded(const text_ruler& ruler, const axis& a, std::vector<label> labels,
                             double em, running way) {
  const double gap = way == running::right ? em : 0;
  double taken_to = -1e300;
  std::erase_if(labels, [&](const label& l) {
    const double middle = a.pixel(l.at, 1);
    const double half =
        0.5 * (way == running::right ? ruler.text_width(l.text, em) : least_line_ems * em);
    if (middle - half < taken_to + gap) return true;
    taken_to = middle + half;
    return false;
  });
  return labels;
}

void add_ends(const text_ruler& ruler, const axis& a, std::vector<label>& labels, double em,
              running way, double room, const std::function<std::string(double)>& text) {
  // Labels one above the other look even only with some air between them.
  const double apart = way == running::up ? 1.3 * em : em;
  for (const double end : {a.low, a.high}) {
    const label mark{end, text(end)};
    const bool clear = std::ranges::all_of(labels, [&](const label& other) {
      return other.text != mark.text && are_clear(ruler, a, mark, other, apart, way);
    });
    if (clear && ruler.text_width(mark.text, em) <= room) labels.push_back(mark);
  }
}

std::string end_text(double value, double error) {
  double step = 1;
  while (step > 1e-9 && std::abs(value - std::round(value / step) * step) > error) step /= 10;
  return format_tick(std::round(value / step) * step, step);
}

std::string axis_title(std::string_view quantity, std::string_view unit) {
  return std::string(quantity) + " (" + std::string(unit) + ")";
}

tick_marks vertical_marks(const axis& a, double unit, double em) {
  const auto scaled = [&](double least_pixels) { return nice_step(a.units(least_pixels) / unit); };
  tick_marks marks{scaled(2.2 * em), {}};
  // A range that holds a single round value, or none, gets the finer ones.
  const axis in_units{a.low / unit, a.high / unit, a.length};
  if (in_units.ticks(marks.step.major).size() < 2) marks.step = scaled(1.2 * em);
  for (double value : in_units.ticks(marks.step.major))
    marks.labels.push_back({value * unit, format_tick(value, marks.step.major)});
  marks.step.major *= unit;
  marks.step.minor *= unit;
  return marks;
}

tick_marks horizontal_marks(const text_ruler& ruler, const axis& a, double unit, double em) {
  const axis in_units{a.low / unit, a.high / unit, a.length};
  const double largest = std::max(std::abs(in_units.low), std::abs(in_units.high));
  tick_step step = nice_step(in_units.units(4 * em));
  const auto labelled = [&] {
    tick_marks marks{{step.major * unit, step.minor * unit}, {}};
    for (const double value : in_units.ticks(step.major))
      marks.labels.push_back({value * unit, format_axis_value(value, step.major, largest)});
    return marks;
  };
  tick_marks marks = labelled();
  while (marks.labels.size() > 2 &&
         widest(ruler, marks.labels, em) + 1.2 * em > step.major / in_units.units(1)) {
    step = nice_step(1.01 * step.major);
    marks = labelled();
  }
  marks.labels = uncrowded(ruler, a, std::move(marks.labels), em);
  return marks;
}

frequency_unit frequency_unit_for(double high_hz) {
  constexpr std::array<frequency_unit, 5> larger{
      {{1e12, "THz"}, {1e9, "GHz"}, {1e6, "MHz"}, {1e3, "kHz"}, {1, "Hz"}}};
  for (const frequency_unit& unit : larger)
    if (high_hz > unit.hz) return unit;
  return high_hz > 1e-3 ? frequency_unit{1e-3, "mHz"} : frequency_unit{1e-6, "\u00b5Hz"};
}

}  // namespace papilio::render_detail

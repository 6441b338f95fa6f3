#include "render/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

double widest(const drawing& sheet, const std::vector<label>& labels, double size) {
  double width = 0;
  for (const label& l : labels) width = std::max(width, sheet.text_width(l.text, size));
  return width;
}

std::vector<label> uncrowded(const drawing& sheet, const axis& a, std::vector<label> labels,
                             double em, running way) {
  const double gap = way == running::right ? em : 0;
  double taken_to = -1e300;
  std::erase_if(labels, [&](const label& l) {
    const double middle = a.pixel(l.at, 1);
    const double half =
        0.5 * (way == running::right ? sheet.text_width(l.text, em) : least_line_ems * em);
    if (middle - half < taken_to + gap) return true;
    taken_to = middle + half;
    return false;
  });
  return labels;
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

frequency_unit frequency_unit_for(double high_hz) {
  constexpr std::array<frequency_unit, 5> larger{
      {{1e12, "THz"}, {1e9, "GHz"}, {1e6, "MHz"}, {1e3, "kHz"}, {1, "Hz"}}};
  for (const frequency_unit& unit : larger)
    if (high_hz > unit.hz) return unit;
  return high_hz > 1e-3 ? frequency_unit{1e-3, "mHz"} : frequency_unit{1e-6, "\u00b5Hz"};
}

}  // namespace papilio::render_detail

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "papilio/render.hpp"
#include "render/drawing.hpp"

namespace papilio::render_detail {

inline constexpr const char* minus_sign = "\u2212";

/// A range of values along `length` pixels.
struct axis {
  double low, high, length;

  double span() const { return high - low; }
  double units(double pixels) const { return pixels * span() / length; }
  /// First pixel, from the low end, of a line of `width` pixels that marks `value` and stays
  /// inside.
  double pixel(double value, double width) const;
  std::vector<double> ticks(double step) const { return ticks_between(low, high, step); }
};

struct label {
  double at;  // value
  std::string text;
};

struct tick_marks {
  tick_step step;
  std::vector<label> labels;
};

/// The four sides of a rectangle, drawn around it.
void draw_frame(drawing& sheet, double x, double y, double width, double height, double line);

/// Minor ticks, unless they would crowd.
std::vector<double> minor_ticks(const axis& a, const tick_step& step, double em);

/// Width of the widest label, 0 where there is none.
double widest(const drawing& sheet, const std::vector<label>& labels, double size);

/// Least distance of labels one above the other, from baseline to baseline.
inline constexpr double least_line_ems = 1.2;

/// Where an axis runs.
enum class running { right, up };

/// Every label that stands clear of the one before it; they ascend.
std::vector<label> uncrowded(const drawing& sheet, const axis& a, std::vector<label> labels,
                             double em, running way = running::right);

/// "Frequency (Hz)".
std::string axis_title(std::string_view quantity, std::string_view unit);

/// Marks of a vertical axis; `unit` divides its values for the labels.
tick_marks vertical_marks(const axis& a, double unit, double em);

/// The multiple of 1 Hz in which frequencies up to `high_hz` are labelled.
struct frequency_unit {
  double hz;
  const char* name;
};
frequency_unit frequency_unit_for(double high_hz);

}  // namespace papilio::render_detail

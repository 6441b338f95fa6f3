#pragma once

#include <functional>
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

/// An axis with all that stands beside it; values are on the axis: Hz, log10 of Hz, mel, seconds ...
struct axis_marks {
  axis where;
  std::vector<label> labels;
  std::vector<double> minor;
  std::string title;
};

/// The four sides of a rectangle, drawn around it.
void draw_frame(drawing& sheet, double x, double y, double width, double height, double line);

/// Minor ticks, unless they would crowd.
std::vector<double> minor_ticks(const axis& a, const tick_step& step, double em);

/// Width of the widest label, 0 where there is none.
double widest(const text_ruler& ruler, const std::vector<label>& labels, double size);

/// Least distance of labels one above the other, from baseline to baseline.
inline constexpr double least_line_ems = 1.2;

/// Direction in which an axis runs.
enum class running { right, up };

/// Whether labels stand clear of each other.
bool are_clear(const text_ruler& ruler, const axis& a, const label& one, const label& other,
               double em, running way);

/// Every label that stands clear of the one before it; they ascend.
std::vector<label> uncrowded(const text_ruler& ruler, const axis& a, std::vector<label> labels,
                             double em, running way = running::right);

/// Adds labels of the axis's ends where they stand clear of the others and are at most `room`
/// pixels wide.
void add_ends(const text_ruler& ruler, const axis& a, std::vector<label>& labels, double em,
              running way, double room, const std::function<std::string(double)>& text);

/// `value` with as few decimals as are within `error` of it.
std::string end_text(double value, double error);

/// "Frequency (Hz)".
std::string axis_title(std::string_view quantity, std::string_view unit);

/// Marks of a vertical axis; `unit` divides its values for the labels.
tick_marks vertical_marks(const axis& a, double unit, double em);

/// Marks of a horizontal axis: the finest step whose labels stand clear of each other.
tick_marks horizontal_marks(const text_ruler& ruler, const axis& a, double unit, double em);

/// The multiple of 1 Hz in which frequencies up to `high_hz` are labelled.
struct frequency_unit {
  double hz;
  const char* name;
};
frequency_unit frequency_unit_for(double high_hz);

}  // namespace papilio::render_detail

#pragma once

#include <string>
#include <vector>

#include "render/axis.hpp"

namespace papilio::render_detail {

/// The labelled and the other ticks of a logarithmic axis; `a` is one of log10 of the values, and
/// so are the ticks. With `suffixes` 2000 is "2k".
struct logarithmic_marks {
  std::vector<label> labels;
  std::vector<double> minor;
};
logarithmic_marks logarithmic_marks_of(const text_ruler& ruler, const axis& a, bool suffixes,
                                       double em, running way = running::right);

/// 10^at, a digit times a power of ten, as such an axis labels it.
std::string round_value_text(double at, bool suffixes);

/// A frequency in Hz with as few digits as are within 0.2 % of it, as such an axis labels it.
std::string hertz_text(double hz);

/// `value` on an axis with labels `step` apart and none above `largest` in magnitude: as
/// format_tick, or with an exponent where that would take too many digits.
std::string format_axis_value(double value, double step, double largest);

}  // namespace papilio::render_detail

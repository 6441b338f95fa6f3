#pragma once

#include <vector>

#include "papilio/base/frequency_axis.hpp"
#include "render/axis.hpp"

namespace papilio::render_detail {

/// A vertical frequency axis and its ticks, all of them where the axis has them: in Hz, in log10 of
/// Hz, or in mel.
struct frequency_marks {
  axis where;
  std::vector<label> labels;
  std::vector<double> minor;
  const char* unit;  // of the labels
};

/// Labels that stand clear of each other along `length` pixels.
frequency_marks frequency_marks_of(const drawing& ruler, const frequency_axis& f, double length,
                                   double em);

}  // namespace papilio::render_detail

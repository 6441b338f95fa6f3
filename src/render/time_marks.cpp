#include <algorithm>
#include <cmath>

#include "render/frequency_marks.hpp"

namespace papilio::render_detail {
namespace {

std::vector<label> time_labels(const axis& a, double step, time_format format) {
  std::vector<label> labels;
  for (double value : a.ticks(step))
    labels.push_back({value, format_time_tick(value, step, format)});
  return labels;
}

/// The finest step whose labels stand clear of each other; if that would leave fewer than two of
/// them, the coarsest step that has two, with those labels left out that would touch.
tick_marks marks_to_the_right(const text_ruler& ruler, const axis& a, time_format format,
                              double em) {
  tick_marks marks{nice_time_step(a.units(2.5 * em)), {}};
  for (;;) {
    marks.labels = time_labels(a, marks.step.major, format);
    if (widest(ruler, marks.labels, em) + 1.2 * em <= marks.step.major / a.units(1)) break;
    const tick_step coarser = nice_time_step(1.01 * marks.step.major);
    if (a.ticks(coarser.major).size() < 2) break;
    marks.step = coarser;
  }
  marks.labels = uncrowded(ruler, a, std::move(marks.labels), em);
  return marks;
}

tick_marks marks_above_each_other(const axis& a, time_format format, double em) {
  tick_marks marks{nice_time_step(a.units(2.2 * em)), {}};
  if (a.ticks(marks.step.major).size() < 2) marks.step = nice_time_step(a.units(1.2 * em));
  marks.labels = time_labels(a, marks.step.major, format);
  return marks;
}

}  // namespace

axis_marks time_marks_of(const text_ruler& ruler, double start_seconds, double duration_seconds,
                         double length, double em, double room, running way) {
  const double end = start_seconds + duration_seconds;
  const time_format format = time_format_for(std::max(std::abs(start_seconds), std::abs(end)));
  const axis a{start_seconds, end, length};
  tick_marks marks = way == running::right ? marks_to_the_right(ruler, a, format, em)
                                           : marks_above_each_other(a, format, em);
  axis_marks made{a, std::move(marks.labels), minor_ticks(a, marks.step, em),
                  axis_title("Time", unit_label(format))};
  add_ends(ruler, a, made.labels, em, way, room, [&](double seconds) {
    const double unit = unit_seconds(format);
    double step = unit;
    while (step > 1e-9 * unit &&
           std::abs(seconds - std::round(seconds / step) * step) > duration_seconds / 1000)
      step /= 10;
    return format_time_tick(std::round(seconds / step) * step, step, format);
  });
  return made;
}

axis_marks reversed(axis_marks marks) {
  marks.where = {-marks.where.high, -marks.where.low, marks.where.length};
  for (label& l : marks.labels) l.at = -l.at;
  for (double& value : marks.minor) value = -value;
  return marks;
}

}  // namespace papilio::render_detail

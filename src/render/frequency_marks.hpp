#pragma once

#include "papilio/base/frequency_axis.hpp"
#include "render/axis.hpp"

namespace papilio::render_detail {

/// Returns a frequency axis in Hz, in log10 of Hz, in mel or in Bark, whose labels stand clear of
/// each other along `length` pixels. Labels of the ends of an axis that runs up are at most `room`
/// pixels wide.
axis_marks frequency_marks_of(const text_ruler& ruler, const frequency_axis& f, double length,
                              double em, double room, running way = running::up);

/// Returns a time axis in seconds, from `start_seconds` on.
axis_marks time_marks_of(const text_ruler& ruler, double start_seconds, double duration_seconds,
                         double length, double em, double room, running way = running::right);

/// Reverses an axis: what was at the low end is at the high one.
axis_marks reversed(axis_marks marks);

}  // namespace papilio::render_detail

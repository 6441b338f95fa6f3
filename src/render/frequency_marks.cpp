#include "render/frequency_marks.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/frequency_axis.hpp"
#include "render/logarithmic_marks.hpp"

namespace papilio::render_detail {
namespace {

frequency_marks linear_marks(const frequency_axis& f, double length, double em) {
  const frequency_unit unit = frequency_unit_for(f.high_hz);
  const axis where{f.low_hz, f.high_hz, length};
  tick_marks marks = vertical_marks(where, unit.hz, em);
  return {where, std::move(marks.labels), minor_ticks(where, marks.step, em), unit.name};
}

frequency_marks log_marks(const drawing& ruler, const frequency_axis& f, double length, double em) {
  const axis where{std::log10(f.low_hz), std::log10(f.high_hz), length};
  logarithmic_marks marks = logarithmic_marks_of(ruler, where, true, em, running::up);
  return {where, std::move(marks.labels), std::move(marks.minor), "Hz"};
}

constexpr int lowest_decade = -3, highest_decade = 12;

/// mantissa * 10^decade on the axis, from the highest down.
std::vector<double> round_frequencies(const frequency_axis& f, std::initializer_list<int> all) {
  std::vector<double> found;
  for (int decade = highest_decade; decade >= lowest_decade; --decade)
    for (const int mantissa : all) {
      const double hz = mantissa * std::pow(10.0, decade);
      if (hz >= f.low_hz && hz <= f.high_hz) found.push_back(hz);
    }
  return found;
}

label mel_label(double hz) {
  return {hz_to_mel(hz), hz == 0 ? "0" : round_value_text(std::log10(hz), true)};
}

/// Adds the labels that stand clear of those there, whose number it returns.
std::size_t add_clear(std::vector<label>& labels, const std::vector<double>& hertz, const axis& a,
                      double em) {
  std::size_t added = 0;
  for (const double hz : hertz) {
    const label candidate = mel_label(hz);
    const bool clear = std::ranges::none_of(labels, [&](const label& other) {
      return std::abs(other.at - candidate.at) < a.units(least_line_ems * em);
    });
    if (!clear) continue;
    labels.push_back(candidate);
    ++added;
  }
  return added;
}

/// Round values of a range that holds none, or one, of the kind 1, 2, 3, ... 9.
std::vector<label> even_labels(const drawing& ruler, const frequency_axis& f, const axis& a,
                               double em) {
  const double step = nice_step((f.high_hz - f.low_hz) * 2.2 * em / a.length).major;
  std::vector<label> labels;
  for (const double hz : ticks_between(f.low_hz, f.high_hz, step))
    labels.push_back({hz_to_mel(hz), format_axis_value(hz, step, f.high_hz)});
  return uncrowded(ruler, a, std::move(labels), em, running::up);
}

std::vector<double> mel_minor(const frequency_axis& f, const axis& a, double em) {
  std::vector<double> minor;
  for (const double hz : round_frequencies(f, {1, 2, 3, 4, 5, 6, 7, 8, 9})) {
    const double decade = std::pow(10.0, std::floor(std::log10(hz) + 1e-9));
    const double least = hz_to_mel(10 * decade) - hz_to_mel(9 * decade);
    if (least >= a.units(0.25 * em)) minor.push_back(hz_to_mel(hz));
  }
  return minor;
}

frequency_marks mel_marks(const drawing& ruler, const frequency_axis& f, double length, double em) {
  const axis where{hz_to_mel(f.low_hz), hz_to_mel(f.high_hz), length};
  frequency_marks marks{where, {}, mel_minor(f, where, em), "Hz"};
  if (f.low_hz == 0) marks.labels.push_back(mel_label(0));
  // All of a kind, or where they would crowd the rounder ones first.
  const std::vector<double> all = round_frequencies(f, {9, 8, 7, 6, 5, 4, 3, 2, 1});
  std::vector<label> every = marks.labels;
  if (add_clear(every, all, where, em) == all.size()) {
    marks.labels = std::move(every);
  } else {
    for (const int mantissa : {1, 5, 2})
      add_clear(marks.labels, round_frequencies(f, {mantissa}), where, em);
  }
  if (marks.labels.size() < 2) marks.labels = even_labels(ruler, f, where, em);
  return marks;
}

}  // namespace

frequency_marks frequency_marks_of(const drawing& ruler, const frequency_axis& f, double length,
                                   double em) {
  if (f.scale == frequency_scale::logarithmic) return log_marks(ruler, f, length, em);
  if (f.scale == frequency_scale::mel) return mel_marks(ruler, f, length, em);
  return linear_marks(f, length, em);
}

}  // namespace papilio::render_detail

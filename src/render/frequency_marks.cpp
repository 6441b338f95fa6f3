#include "render/frequency_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "render/logarithmic_marks.hpp"

namespace papilio::render_detail {
namespace {

/// Ruler, size and direction for which an axis is made.
struct place {
  const text_ruler& ruler;
  double length, em, room;
  running way;
};

axis_marks linear_marks(const frequency_axis& f, const place& p) {
  const frequency_unit unit = frequency_unit_for(f.high_hz);
  const axis where{f.low_hz, f.high_hz, p.length};
  tick_marks marks = p.way == running::up ? vertical_marks(where, unit.hz, p.em)
                                          : horizontal_marks(p.ruler, where, unit.hz, p.em);
  add_ends(p.ruler, where, marks.labels, p.em, p.way, p.room,
           [&](double hz) { return end_text(hz / unit.hz, where.span() / unit.hz / 1000); });
  return {where, std::move(marks.labels), minor_ticks(where, marks.step, p.em),
          axis_title("Frequency", unit.name)};
}

axis_marks log_marks(const frequency_axis& f, const place& p) {
  const axis where{std::log10(f.low_hz), std::log10(f.high_hz), p.length};
  logarithmic_marks marks = logarithmic_marks_of(p.ruler, where, true, p.em, p.way);
  add_ends(p.ruler, where, marks.labels, p.em, p.way, p.room,
           [](double at) { return hertz_text(std::pow(10.0, at)); });
  return {where, std::move(marks.labels), std::move(marks.minor), "Frequency (Hz)"};
}

constexpr double a4_hz = 440;
constexpr int a4_semitone = 57;  // from C0

/// log10 of the frequency of a note, counted in semitones from C0.
double note_place(int semitone) {
  return std::log10(a4_hz) + (semitone - a4_semitone) / 12.0 * std::log10(2.0);
}

/// Returns the notes on the axis, of the given semitones of each octave.
std::vector<label> notes(const axis& where, std::initializer_list<int> semitones, int octaves = 1) {
  constexpr std::array<const char*, 12> names{"C", "C\u266f", "D", "D\u266f", "E", "F", "F\u266f",
                                              "G", "G\u266f", "A", "A\u266f", "B"};
  std::vector<label> found;
  const auto octave_of = [](double at) {
    return static_cast<int>(std::floor((at - note_place(0)) / std::log10(2.0)));
  };
  for (int octave = octave_of(where.low) / octaves * octaves - octaves;
       octave <= octave_of(where.high); octave += octaves)
    for (const int semitone : semitones) {
      const double at = note_place(12 * octave + semitone);
      const std::string number =
          octave < 0 ? minus_sign + std::to_string(-octave) : std::to_string(octave);
      if (at >= where.low - 1e-9 && at <= where.high + 1e-9)
        found.push_back({at, names[static_cast<std::size_t>(semitone)] + number});
    }
  return found;
}

axis_marks note_marks(const frequency_axis& f, const place& p) {
  axis_marks marks{{std::log10(f.low_hz), std::log10(f.high_hz), p.length}, {}, {}, "Note"};
  const axis& where = marks.where;
  const auto fits = [&](std::initializer_list<int> semitones, int octaves, double apart = 1.4) {
    marks.labels = notes(where, semitones, octaves);
    const std::vector<label> clear = uncrowded(p.ruler, where, marks.labels, apart * p.em, p.way);
    return clear.size() == marks.labels.size();
  };
  const bool fine = fits({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 1) ||
                    fits({0, 2, 4, 5, 7, 9, 11}, 1) || fits({0, 4, 7}, 1) || fits({0, 7}, 1);
  for (int octaves = 1; !fine && !fits({0}, octaves, 1);) ++octaves;
  // In a range of less than a semitone, or between two notes, Hz tell more than no note.
  if (marks.labels.empty()) return log_marks(f, p);
  const double semitone_pixels = std::log10(2.0) / 12 / where.units(1);
  if (semitone_pixels >= 0.4 * p.em)
    for (const label& l : notes(where, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      marks.minor.push_back(l.at);
  else if (4 * semitone_pixels >= 0.3 * p.em)
    for (const label& l : notes(where, {0, 4, 7})) marks.minor.push_back(l.at);
  return marks;
}

double hz_to_bark(double hz) { return 6 * std::asinh(hz / 600); }

constexpr int lowest_decade = -3, highest_decade = 12;

/// Returns the frequencies mantissa * 10^decade on the axis, from the highest down.
std::vector<double> round_frequencies(const frequency_axis& f, std::initializer_list<int> all) {
  std::vector<double> found;
  for (int decade = highest_decade; decade >= lowest_decade; --decade)
    for (const int mantissa : all) {
      const double hz = mantissa * std::pow(10.0, decade);
      if (hz >= f.low_hz && hz <= f.high_hz) found.push_back(hz);
    }
  return found;
}

/// Axis that is even in Hz below some hundreds of Hz, and in octaves above.
struct auditory_axis {
  double (*on_axis)(double hz);
  axis where;

  label labelled(double hz) const {
    return {on_axis(hz), hz == 0 ? "0" : round_value_text(std::log10(hz), true)};
  }
};

/// Adds the labels that stand clear of those already there, and returns how many it added.
std::size_t add_clear(std::vector<label>& labels, const std::vector<double>& hertz,
                      const auditory_axis& a, const place& p) {
  std::size_t added = 0;
  for (const double hz : hertz) {
    const label candidate = a.labelled(hz);
    const bool clear = std::ranges::none_of(labels, [&](const label& other) {
      return !are_clear(p.ruler, a.where, other, candidate, p.em, p.way);
    });
    if (!clear) continue;
    labels.push_back(candidate);
    ++added;
  }
  return added;
}

/// Returns evenly spaced round values, for a range that holds at most one of the values 1, 2, ... 9
/// in any decade.
std::vector<label> even_labels(const frequency_axis& f, const auditory_axis& a, const place& p) {
  const double room = (p.way == running::right ? 4 : 2.2) * p.em;
  const double step = nice_step((f.high_hz - f.low_hz) * room / p.length).major;
  std::vector<label> labels;
  for (const double hz : ticks_between(f.low_hz, f.high_hz, step))
    labels.push_back({a.on_axis(hz), format_axis_value(hz, step, f.high_hz)});
  return uncrowded(p.ruler, a.where, std::move(labels), p.em, p.way);
}

std::vector<double> auditory_minor(const frequency_axis& f, const auditory_axis& a, double em) {
  std::vector<double> minor;
  for (const double hz : round_frequencies(f, {1, 2, 3, 4, 5, 6, 7, 8, 9})) {
    const double decade = std::pow(10.0, std::floor(std::log10(hz) + 1e-9));
    const double least = a.on_axis(10 * decade) - a.on_axis(9 * decade);
    if (least >= a.where.units(0.25 * em)) minor.push_back(a.on_axis(hz));
  }
  return minor;
}

axis_marks auditory_marks(const frequency_axis& f, double (*on_axis)(double hz), const place& p) {
  const auditory_axis a{on_axis, {on_axis(f.low_hz), on_axis(f.high_hz), p.length}};
  axis_marks marks{a.where, {}, auditory_minor(f, a, p.em), "Frequency (Hz)"};
  if (f.low_hz == 0) marks.labels.push_back(a.labelled(0));
  // All of 1, 2, ... 9 in every decade are labelled or, where they would crowd, the rounder ones
  // first.
  const std::vector<double> all = round_frequencies(f, {9, 8, 7, 6, 5, 4, 3, 2, 1});
  std::vector<label> every = marks.labels;
  if (add_clear(every, all, a, p) == all.size()) {
    marks.labels = std::move(every);
  } else {
    for (const int mantissa : {1, 5, 2})
      add_clear(marks.labels, round_frequencies(f, {mantissa}), a, p);
  }
  if (marks.labels.size() < 2) marks.labels = even_labels(f, a, p);
  add_ends(p.ruler, a.where, marks.labels, p.em, p.way, p.room,
           [&](double at) { return hertz_text(at == a.where.low ? f.low_hz : f.high_hz); });
  return marks;
}

}  // namespace

axis_marks frequency_marks_of(const text_ruler& ruler, const frequency_axis& f, double length,
                              double em, double room, running way) {
  const place p{ruler, length, em, room, way};
  switch (f.scale) {
    case frequency_scale::logarithmic:
      return log_marks(f, p);
    case frequency_scale::notes:
      return note_marks(f, p);
    case frequency_scale::mel:
      return auditory_marks(
          f, [](double hz) { return hz_to_mel(hz); }, p);
    case frequency_scale::bark:
      return auditory_marks(f, hz_to_bark, p);
    case frequency_scale::linear:
      break;
  }
  return linear_marks(f, p);
}

}  // namespace papilio::render_detail

#include "render/logarithmic_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace papilio::render_detail {
namespace {

constexpr double decade_slack = 1e-9;  // of a decade

constexpr std::array<int, 9> all_nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
constexpr std::array<int, 3> one_two_five{1, 2, 5};
constexpr std::array<int, 2> one_three{1, 3};
constexpr std::array<int, 1> one{1};

/// log10 of mantissa * 10^decade in the axis's range, for every `decades`-th decade.
std::vector<double> positions(const axis& a, std::span<const int> mantissas, int decades) {
  std::vector<double> found;
  const int first = static_cast<int>(std::floor(a.low / decades)) * decades;
  for (int decade = first; decade <= a.high + decade_slack; decade += decades)
    for (const int mantissa : mantissas) {
      const double at = decade + std::log10(mantissa);
      if (at >= a.low - decade_slack && at <= a.high + decade_slack) found.push_back(at);
    }
  return found;
}

/// 10^at, which is a round number.
double round_value(double at) {
  const double decade = std::floor(at + decade_slack);
  const double mantissa = std::round(std::pow(10, at - decade));
  const double power = std::pow(10, std::abs(decade));
  return decade < 0 ? mantissa / power : mantissa * power;
}

}  // namespace

std::string round_value_text(double at, bool suffixes) {
  constexpr std::array<const char*, 9> names{"p", "n", "\u00b5", "m", "", "k", "M", "G", "T"};
  const double value = round_value(at);
  const int decade = static_cast<int>(std::floor(at + decade_slack));
  const int group = static_cast<int>(std::floor(decade / 3.0));
  if (!suffixes || group < -4 || group > 4) return fmt::format("{:.6g}", value);
  return fmt::format("{:.6g}{}", value / std::pow(10.0, 3 * group),
                     names[static_cast<std::size_t>(group + 4)]);
}

namespace {

std::vector<label> labels_at(const std::vector<double>& at, bool suffixes) {
  std::vector<label> labels;
  for (const double value : at) labels.push_back({value, round_value_text(value, suffixes)});
  return labels;
}

bool stand_clear(const text_ruler& ruler, const axis& a, const std::vector<label>& labels,
                 double em, running way) {
  return uncrowded(ruler, a, labels, em, way).size() == labels.size();
}

/// Round values of a range too short to hold two of the kind 1, 2, 3, ... 9.
std::vector<label> labels_within_a_decade(const text_ruler& ruler, const axis& a, double em,
                                          running way) {
  const double low = std::pow(10, a.low), high = std::pow(10, a.high);
  const double room = (way == running::right ? 4 : 2.2) * em;
  const double step = nice_step((high - low) * room / a.length).major;
  std::vector<label> labels;
  for (const double value : ticks_between(low, high, step))
    if (value > 0) labels.push_back({std::log10(value), format_axis_value(value, step, high)});
  return uncrowded(ruler, a, std::move(labels), em, way);
}

}  // namespace

logarithmic_marks logarithmic_marks_of(const text_ruler& ruler, const axis& a, bool suffixes,
                                       double em, running way) {
  logarithmic_marks marks;
  const double decade_pixels = a.length / a.span();
  const std::array<std::span<const int>, 4> finer{all_nine, one_two_five, one_three, one};
  for (const std::span<const int> mantissas : finer) {
    marks.labels = labels_at(positions(a, mantissas, 1), suffixes);
    if (stand_clear(ruler, a, marks.labels, em, way)) break;
  }
  for (int decades = 2; !stand_clear(ruler, a, marks.labels, em, way); ++decades)
    marks.labels = labels_at(positions(a, one, decades), suffixes);
  if (marks.labels.size() < 2) marks.labels = labels_within_a_decade(ruler, a, em, way);
  if (decade_pixels >= 8 * em)
    marks.minor = positions(a, all_nine, 1);
  else if (decade_pixels >= em)
    marks.minor = positions(a, one, 1);
  return marks;
}

std::string hertz_text(double hz) {
  const bool kilo = hz >= 1000 && hz < 1e6;
  const double shown = kilo ? hz / 1000 : hz;
  double rounded = shown;
  for (int digits = 1; digits <= 6; ++digits) {
    const double unit = std::pow(10.0, std::floor(std::log10(shown)) - digits + 1);
    rounded = std::round(shown / unit) * unit;
    if (std::abs(rounded - shown) <= 0.002 * shown) break;
  }
  return fmt::format("{:.6g}{}", rounded, kilo ? "k" : "");
}

std::string format_axis_value(double value, double step, double largest) {
  if (step >= 1e-6 && largest < 1e7) return format_tick(value, step);
  if (std::abs(value) < 1e-9 * step) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + decade_slack));
  const int last_digit = static_cast<int>(std::floor(std::log10(step) + decade_slack));
  const double mantissa = std::abs(value) / std::pow(10.0, exponent);
  return fmt::format("{}{:.{}f}e{}{}", value < 0 ? minus_sign : "", mantissa,
                     std::clamp(exponent - last_digit, 0, 12), exponent < 0 ? minus_sign : "",
                     std::abs(exponent));
}

}  // namespace papilio::render_detail

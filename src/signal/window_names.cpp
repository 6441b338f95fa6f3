#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/signal/window.hpp"
#include "signal/window_parameter.hpp"

namespace papilio {
namespace {

constexpr std::array<std::pair<window_kind, std::string_view>, 11> window_names{{
    {window_kind::rectangular, "rectangular"},
    {window_kind::hann, "hann"},
    {window_kind::hamming, "hamming"},
    {window_kind::blackman, "blackman"},
    {window_kind::nuttall, "nuttall"},
    {window_kind::blackman_harris, "blackman_harris"},
    {window_kind::flat_top, "flat_top"},
    {window_kind::kaiser, "kaiser"},
    {window_kind::gaussian, "gaussian"},
    {window_kind::tukey, "tukey"},
    {window_kind::dpss, "dpss"},
}};

// Names that these windows have in scipy.signal.windows and NumPy.
constexpr std::array<std::pair<window_kind, std::string_view>, 4> other_names{{
    {window_kind::rectangular, "boxcar"},
    {window_kind::hann, "hanning"},
    {window_kind::blackman_harris, "blackmanharris"},
    {window_kind::flat_top, "flattop"},
}};

[[noreturn]] void refuse(const char* function, window_kind kind, std::string_view bound,
                         double value) {
  throw invalid_argument(base_detail::message(function, ": the parameter of ", to_string(kind),
                                              " must be ", bound, ", got ", value));
}

// Checks the bounds of a parameter that hold for a window of any length.
void require_in_range(const char* function, window_kind kind, double value) {
  switch (kind) {
    case window_kind::kaiser:
      if (!(value >= 0 && std::isfinite(value)))
        refuse(function, kind, "finite and at least 0", value);
      return;
    case window_kind::gaussian:
    case window_kind::dpss:
      if (!(value > 0 && std::isfinite(value))) refuse(function, kind, "finite and above 0", value);
      return;
    case window_kind::tukey:
      if (!(value >= 0 && value <= 1)) refuse(function, kind, "0 ... 1", value);
      return;
    default:
      throw invalid_argument(base_detail::message(function, ": ", to_string(kind),
                                                  " takes no parameter, got ", value));
  }
}

}  // namespace

double signal_detail::window_parameter(const char* function, const window_spec& window,
                                       std::size_t period) {
  const double n = static_cast<double>(period);
  if (window.parameter) {
    require_in_range(function, window.kind, *window.parameter);
    if (window.kind == window_kind::dpss && period > 0 && *window.parameter >= (n + 1) / 2)
      refuse(function, window.kind,
             base_detail::message("below ", (n + 1) / 2, ", half of the points"),
             *window.parameter);
    return *window.parameter;
  }
  switch (window.kind) {
    case window_kind::kaiser:
      return 8.6;
    case window_kind::gaussian:
      return n / 5;
    case window_kind::tukey:
      return 0.5;
    case window_kind::dpss:
      return std::min(4.0, (n + 1) / 4);
    default:
      return 0;
  }
}

std::string_view to_string(window_kind kind) {
  for (const auto& [named, name] : window_names)
    if (named == kind) return name;
  throw invalid_argument(
      base_detail::message("to_string: no window_kind has the value ", static_cast<int>(kind)));
}

window_kind parse_window_kind(std::string_view name) {
  for (const auto& [kind, other] : other_names)
    if (other == name) return kind;
  std::string choices;
  for (std::size_t i = 0; i < window_names.size(); ++i) {
    if (window_names[i].second == name) return window_names[i].first;
    choices += i == 0 ? "" : i + 1 == window_names.size() ? " or " : ", ";
    choices += window_names[i].second;
  }
  throw invalid_argument(base_detail::message("window must be ", choices, ", got \"", name, "\""));
}

std::string to_string(const window_spec& window) {
  std::string text(to_string(window.kind));
  if (!window.parameter) return text;
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *window.parameter);
  return text + ':' + std::string(digits.data(), end.ptr);
}

window_spec parse_window(std::string_view text) {
  const std::size_t colon = text.find(':');
  window_spec window = parse_window_kind(text.substr(0, colon));
  if (colon == std::string_view::npos) return window;
  const std::string_view number = text.substr(colon + 1);
  double value = 0;
  const auto end = std::from_chars(number.data(), number.data() + number.size(), value);
  if (end.ec != std::errc() || end.ptr != number.data() + number.size())
    throw invalid_argument(base_detail::message("parse_window: the parameter of ",
                                                to_string(window.kind), " must be a number, got \"",
                                                number, "\""));
  require_in_range("parse_window", window.kind, value);
  window.parameter = value;
  return window;
}

}  // namespace papilio

#include "papilio/base/frequency_axis.hpp"

#include <array>
#include <cmath>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

constexpr std::array<std::string_view, 5> scale_names{"linear", "log", "mel", "bark", "notes"};

double on_scale(frequency_scale scale, double hz) {
  switch (scale) {
    case frequency_scale::linear:
      return hz;
    case frequency_scale::logarithmic:
    case frequency_scale::notes:
      return std::log(hz);
    case frequency_scale::mel:
      return hz_to_mel(hz);
    case frequency_scale::bark:
      return 6 * std::asinh(hz / 600);
  }
  return hz;
}

double off_scale(frequency_scale scale, double value) {
  switch (scale) {
    case frequency_scale::linear:
      return value;
    case frequency_scale::logarithmic:
    case frequency_scale::notes:
      return std::exp(value);
    case frequency_scale::mel:
      return mel_to_hz(value);
    case frequency_scale::bark:
      return 600 * std::sinh(value / 6);
  }
  return value;
}

}  // namespace

std::string_view to_string(frequency_scale scale) {
  return scale_names[static_cast<std::size_t>(scale)];
}

frequency_scale frequency_scale_named(std::string_view name) {
  for (std::size_t i = 0; i < scale_names.size(); ++i)
    if (scale_names[i] == name) return static_cast<frequency_scale>(i);
  throw invalid_argument(base_detail::message(
      "frequency_scale_named: name must be linear, log, mel, bark or notes, got \"", name, "\""));
}

double frequency_axis::place(double hz) const {
  const double low = on_scale(scale, low_hz), high = on_scale(scale, high_hz);
  return (on_scale(scale, hz) - low) / (high - low);
}

double frequency_axis::hz(double place) const {
  if (place == 0) return low_hz;
  if (place == 1) return high_hz;
  const double low = on_scale(scale, low_hz), high = on_scale(scale, high_hz);
  return off_scale(scale, low + place * (high - low));
}

void frequency_axis::require_valid(const char* function) const {
  const auto index = static_cast<std::size_t>(scale);
  if (index >= scale_names.size())
    throw invalid_argument(
        base_detail::message(function, ": scale must be one of frequency_scale, not ", index));
  const auto require_within = [&](const char* bound, double value, double least) {
    if (!(value >= least && value <= 1e12))
      throw invalid_argument(base_detail::message(
          function, ": ", bound, " must be ", least, " to ", 1e12,
          is_logarithmic(scale) ? " on a logarithmic axis" : "", ", not ", value));
  };
  require_within("low_hz", low_hz, is_logarithmic(scale) ? 1e-9 : 0);
  require_within("high_hz", high_hz, 1e-9);
  if (!(high_hz - low_hz >= 1e-12 * high_hz))
    throw invalid_argument(base_detail::message(function, ": high_hz must be above low_hz ", low_hz,
                                                " by 1e-12 of itself or more, not ", high_hz));
}

}  // namespace papilio

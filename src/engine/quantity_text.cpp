#include "engine/quantity_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace papilio::engine_detail {
namespace {

// The text has four digits, but at most three decimals, and no exponent.
std::string four_digits(double value) {
  const double size = std::abs(value);
  const int after = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, after);
}

std::string scaled(double value, double least_scale, std::initializer_list<const char*> units) {
  double scale = least_scale;
  const char* name = *units.begin();
  for (const char* const unit : units) {
    name = unit;
    if (std::abs(value) < 999.95 * scale) break;
    if (unit != *(units.end() - 1)) scale *= 1000;
  }
  return fmt::format("{} {}", four_digits(value / scale), name);
}

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds == 0) return "0 s";
  return scaled(seconds, 1e-9, {"ns", "us", "ms", "s"});
}

std::string bytes_text(double bytes) {
  std::string text = fmt::format("{:.0f} B", bytes);
  if (bytes >= 1e4) text += " (" + scaled(bytes, 1e3, {"kB", "MB", "GB", "TB"}) + ")";
  return text;
}

std::string fraction_text(double fraction) {
  return fmt::format("{} %", fraction == 0 ? "0" : four_digits(100 * fraction));
}

std::string quantity_text(double value, engine::quantity of) {
  switch (of) {
    case engine::quantity::seconds:
      return seconds_text(value);
    case engine::quantity::fraction:
      return fraction_text(value);
    case engine::quantity::count:
      return fmt::format("{:.0f}", value);
    case engine::quantity::bytes:
      return bytes_text(value);
    case engine::quantity::flops:
      return fmt::format("{:.0f}", value);
    case engine::quantity::ratio:
      return fmt::format("{} FLOP/B", four_digits(value));
  }
  return {};
}

}  // namespace papilio::engine_detail

#include "cli/validators.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace papilio::cli {

CLI::Validator number_from(double low, double high) {
  const std::string bound = fmt::format("[{}, {}]", low, high);
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool good = failure == std::errc() && end == text.data() + text.size() &&
                          value >= low && value <= high;
        return good ? std::string() : fmt::format("must be a number in {}, got {}", bound, text);
      },
      bound);
}

CLI::Validator whole_number_from(std::uint64_t low, std::uint64_t high) {
  const std::string bound = fmt::format("[{}, {}]", low, high);
  return CLI::Validator(
      [=](std::string& text) {
        std::uint64_t value = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failure != std::errc() || end != text.data() + text.size() || value < low ||
            value > high)
          return fmt::format("must be a whole number in {}, got {}", bound, text);
        text = std::to_string(value);
        return std::string();
      },
      bound);
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) {
        return text.empty() ? std::string("must not be empty") : std::string();
      },
      "");
}

}  // namespace papilio::cli

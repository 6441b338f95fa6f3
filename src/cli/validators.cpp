#include <algorithm>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {

validator member_of(std::vector<std::string> words, bool any_case) {
  const std::string bound = fmt::format("{{{}}}", fmt::join(words, ","));
  const auto same = [any_case](const std::string& word, const std::string& text) {
    return any_case ? lower_case(word) == lower_case(text) : word == text;
  };
  return {[words = std::move(words), bound, same](std::string& text) {
            const auto found = std::find_if(words.begin(), words.end(),
                                            [&](const auto& word) { return same(word, text); });
            if (found == words.end()) return fmt::format("{} not in {}", text, bound);
            text = *found;
            return std::string();
          },
          bound};
}

}  // namespace

validator number_from(double low, double high) {
  const std::string bound = fmt::format("[{}, {}]", low, high);
  return {[=](std::string& text) {
            const auto value = read_number<double>(text);
            return value && *value >= low && *value <= high
                       ? std::string()
                       : fmt::format("must be a number in {}, got {}", bound, text);
          },
          bound};
}

validator level_from(double low, double high) {
  const validator number = number_from(low, high);
  return {[=](std::string& text) {
            std::string written = text;
            for (const std::string_view unit : {"dB", " "})
              if (written.ends_with(unit)) written.erase(written.rfind(unit));
            if (!number.problem(written).empty())
              return fmt::format("must be a level in dB in {}, as {}dB, got {}", number.bound,
                                 high > 0 ? 94 : -60, text);
            text = std::move(written);
            return std::string();
          },
          {},
          "LEVEL"};
}

validator time_from(double low, double high) {
  const validator seconds = number_from(low, high);
  return {[=](std::string& text) {
            const std::string bad = fmt::format(
                "must be seconds or a time as 1:23.4, in {}, got {}", seconds.bound, text);
            std::vector<std::string> parts = split_words(text, ':');
            const auto last = read_number<double>(parts.back());
            parts.pop_back();
            double value = 0;
            for (const std::string& part : parts) {
              const auto whole = read_number<unsigned>(part);
              if (!whole) return bad;
              value = 60 * (value + *whole);
            }
            if (!last || (!parts.empty() && !(*last >= 0 && *last < 60))) return bad;
            std::string written = parts.empty() ? text : fmt::format("{}", value + *last);
            if (!seconds.problem(written).empty()) return bad;
            text = std::move(written);
            return std::string();
          },
          {},
          "TIME"};
}

validator whole_number_from(std::uint64_t low, std::uint64_t high) {
  const std::string bound = fmt::format("[{}, {}]", low, high);
  return {[=](std::string& text) {
            const auto value = read_number<std::uint64_t>(text);
            if (!value || *value < low || *value > high)
              return fmt::format("must be a whole number in {}, got {}", bound, text);
            text = std::to_string(*value);
            return std::string();
          },
          bound};
}

validator read_by(std::function<void(std::string&)> read, std::string type_name) {
  return {[read = std::move(read)](std::string& text) {
            try {
              read(text);
            } catch (const invalid_argument& e) {
              const std::string problem = e.what();
              const std::size_t function_end = problem.find(": ");
              return function_end == std::string::npos ? problem : problem.substr(function_end + 2);
            }
            return std::string();
          },
          {},
          std::move(type_name)};
}

validator not_empty() {
  return {[](std::string& text) {
    return text.empty() ? std::string("must not be empty") : std::string();
  }};
}

validator one_of(std::vector<std::string> words) { return member_of(std::move(words), true); }

std::vector<std::string> split_words(const std::string& text, char at) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (c == at)
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

validator words_of(std::vector<std::string> words) {
  const validator one = one_of(std::move(words));
  return {[one](std::string& text) {
            std::vector<std::string> given = split_words(text);
            for (std::string& word : given)
              if (const std::string problem = one.problem(word); !problem.empty()) return problem;
            text = fmt::format("{}", fmt::join(given, ","));
            return std::string();
          },
          one.bound};
}

validator exactly_one_of(std::vector<std::string> words) {
  return member_of(std::move(words), false);
}

}  // namespace papilio::cli

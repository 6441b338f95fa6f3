#include "cli/defaults_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text_file.hpp"
#include "cli/common.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace {

constexpr std::size_t most_default_bytes = std::size_t{1} << 16;

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Calls use(i) for each character that stands in no quotes, until it returns true.
template <class Use>
void outside_quotes(std::string_view text, const Use& use) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0)
      quote = text[i] == quote ? '\0' : quote;
    else if (text[i] == '"' || text[i] == '\'')
      quote = text[i];
    else if (use(i))
      return;
  }
}

std::size_t find_unquoted(std::string_view text, std::string_view characters) {
  std::size_t found = std::string_view::npos;
  outside_quotes(text, [&](std::size_t i) {
    if (characters.find(text[i]) == std::string_view::npos) return false;
    found = i;
    return true;
  });
  return found;
}

std::string unquoted(std::string_view text) {
  text = trimmed(text);
  const bool has_quotes = text.size() > 1 && text.front() == text.back() &&
                          (text.front() == '"' || text.front() == '\'');
  return std::string(has_quotes ? text.substr(1, text.size() - 2) : text);
}

/// The values between commas, or where there is none between spaces.
std::vector<std::string> values_in(std::string_view text) {
  text = trimmed(text);
  const bool is_list = text.size() > 1 && text.front() == '[' && text.back() == ']';
  if (is_list) text = trimmed(text.substr(1, text.size() - 2));
  const bool has_commas = is_list || find_unquoted(text, ",") != std::string_view::npos;
  std::vector<std::string> values;
  std::size_t begin = 0;
  const auto take = [&](std::size_t end) {
    const std::string_view value = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (!value.empty()) values.push_back(unquoted(value));
  };
  outside_quotes(text, [&](std::size_t i) {
    if (has_commas ? text[i] == ',' : text[i] == ' ' || text[i] == '\t') take(i);
    return false;
  });
  take(text.size());
  return values;
}

class defaults_reader {
 public:
  defaults_reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<file_default> read() {
    for (std::string_view line; next(line);) {
      if (line.empty()) continue;
      if (line.front() == '[')
        begin_section(line);
      else
        add(line);
    }
    return std::move(all_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw usage_error("{}: line {}: {}", file_, line_, why);
  }

  /// The next line without its comment; false at the end.
  bool next(std::string_view& line) {
    if (text_.empty()) return false;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line = trimmed(text_.substr(0, end));
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++line_;
    line = trimmed(line.substr(0, find_unquoted(line, line.starts_with(';') ? ";" : "#")));
    return true;
  }

  void begin_section(std::string_view line) {
    if (line.back() != ']') refuse("[ without ]");
    section_ = unquoted(line.substr(1, line.size() - 2));
    if (section_.empty()) refuse("a section has no name");
  }

  void add(std::string_view line) {
    const std::size_t equals = find_unquoted(line, "=");
    std::string verb = section_, name = unquoted(line.substr(0, equals));
    if (const std::size_t dot = name.find('.'); verb.empty() && dot != std::string::npos) {
      verb = name.substr(0, dot);
      name.erase(0, dot + 1);
    }
    if (verb.empty()) refuse("options stand in the section of a verb, such as [spectrogram]");
    if (name.empty()) refuse("an option has no name");
    std::vector<std::string> values{"true"};
    if (equals != std::string_view::npos) {
      values = values_in(whole_value(line.substr(equals + 1)));
      if (values.empty()) refuse(name + " has no value");
    }
    if (!all_.empty() && all_.back().verb == verb && all_.back().name == name)
      all_.back().values.insert(all_.back().values.end(), values.begin(), values.end());
    else
      all_.push_back({std::move(verb), std::move(name), std::move(values)});
  }

  /// A list that is open at the line's end goes on in the next.
  std::string whole_value(std::string_view begun) {
    std::string value(trimmed(begun));
    if (!value.starts_with('[')) return value;
    while (find_unquoted(value, "]") == std::string_view::npos) {
      std::string_view line;
      if (!next(line)) refuse("[ without ]");
      value.append(" ").append(line);
    }
    if (value.back() != ']') refuse("a list ends in ]");
    return value;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t line_ = 0;
  std::string section_;
  std::vector<file_default> all_;
};

/// The file's bytes, if it is there. A folder that is closed to the caller holds nothing.
std::optional<std::string> text_of(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return std::nullopt;
  try {
    return base_detail::read_text_file(file, most_default_bytes, "options");
  } catch (const io_error& e) {
    throw usage_error("{}; papilio --no-config VERB does without it", e.what());
  }
}

}  // namespace

std::vector<file_default> defaults_in(std::string_view text, const std::string& file) {
  return defaults_reader(text, file).read();
}

std::vector<file_default> read_defaults(const std::string& file) {
  const std::optional<std::string> text = text_of(file);
  return text ? defaults_in(*text, file) : std::vector<file_default>();
}

}  // namespace papilio::cli

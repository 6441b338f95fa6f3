#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "fft/design.hpp"
#include "fft/recipe_check.hpp"
#include "fft/wisdom_store.hpp"
#include "papilio/base/error.hpp"
#include "papilio/version.hpp"

namespace papilio::fft_detail {
namespace {

constexpr std::string_view magic = "papilio-wisdom ";
constexpr std::string_view format_field = "format=1 ";
constexpr std::string_view version_field = "version=" PAPILIO_VERSION " ";

constexpr std::pair<real_type, std::string_view> element_names[] = {
    {real_type::single_precision, "float"},
    {real_type::double_precision, "double"},
    {real_type::extended_precision, "long-double"}};

std::string cpu_field() { return "cpu=" + cpu_key(); }

// FNV-1a, 64 bits, in 16 digits.
std::string checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
  return digits;
}

std::string end_line(std::size_t entries, std::string_view before) {
  return base_detail::message("end entries=", entries, " checksum=", checksum(before));
}

// Fit for a message: in quotes, short, printable.
std::string in_quotes(std::string_view text) {
  if (text.empty()) return "nothing";
  std::string result = "\"";
  for (const char c : text.substr(0, 60)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 60 ? "...\"" : "\"");
}

[[noreturn]] void refuse(std::size_t line, std::string_view expected, std::string_view found) {
  throw invalid_argument(
      base_detail::message("line ", line, ": expected ", expected, ", found ", in_quotes(found)));
}

// The lines of a text, one after the other, each of which must end in a line feed.
class line_reader {
 public:
  explicit line_reader(std::string_view text) : text_(text) {}

  std::string_view next() {
    ++number_;
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos)
      refuse(number_, at_end() ? "a line" : "a line feed at the end",
             rest().substr(rest().size() - std::min<std::size_t>(rest().size(), 60)));
    const std::string_view line = text_.substr(at_, end - at_);
    if (!line.empty() && line.back() == '\r')
      refuse(number_, "a line feed alone at the end", "carriage return");
    at_ = end + 1;
    return line;
  }

  std::size_t number() const { return number_; }
  bool at_end() const { return at_ == text_.size(); }
  std::string_view rest() const { return text_.substr(at_); }
  std::string_view before(std::string_view line) const {
    return text_.substr(0, at_ - line.size() - 1);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, number_ = 0;
};

// Takes `prefix` off the line.
void expect(std::size_t number, std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) {
    const std::size_t end = line.find(' ');
    const bool last = prefix.back() != ' ';
    refuse(number, in_quotes(prefix.substr(0, prefix.find_last_not_of(' ') + 1)),
           last ? line : line.substr(0, end));
  }
  line.remove_prefix(prefix.size());
}

void expect_header(std::string_view line) {
  expect(1, line, magic);
  expect(1, line, format_field);
  expect(1, line, version_field);
  if (line != cpu_field()) refuse(1, in_quotes(cpu_field()), line);
}

// Takes a word and the blank after it off the line.
std::string_view take_word(std::string_view& line) {
  const std::size_t length = line.find(' ');
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(length == std::string_view::npos ? line.size() : length + 1);
  return word;
}

std::pair<wisdom_key, recipe> parse_entry(std::size_t number, std::string_view line) {
  if (const std::string_view kind = take_word(line); kind != "complex")
    refuse(number, "complex or end", kind);
  const std::string_view type = take_word(line);
  const auto* element = std::begin(element_names);
  while (element != std::end(element_names) && element->second != type) ++element;
  if (element == std::end(element_names)) refuse(number, "float, double or long-double", type);
  const std::string_view digits = take_word(line);
  std::size_t n = 0;
  const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (problem != std::errc() || stop != digits.data() + digits.size() || n == 0)
    refuse(number, "a length of at least 1", digits);
  recipe r;
  try {
    r = parse_recipe(line);
  } catch (const invalid_argument& e) {
    throw invalid_argument(base_detail::message("line ", number, ": ", e.what()));
  }
  if (r.n != n || !is_complex(r))
    refuse(number, base_detail::message("a complex recipe of length ", n), line);
  if (element->first == real_type::extended_precision && needs_lanes(r))
    refuse(number, "a recipe for long double, without codelets and columns", line);
  return {{element->first, n}, std::move(r)};
}

}  // namespace

std::string format_wisdom(const wisdom_entries& entries) {
  std::string text;
  text.append(magic).append(format_field).append(version_field).append(cpu_field()).append("\n");
  for (const auto& [key, r] : entries) {
    const std::string_view type = element_names[static_cast<int>(key.element)].second;
    text += base_detail::message("complex ", type, " ", key.n, " ", to_string(r), "\n");
  }
  return text + end_line(entries.size(), text) + "\n";
}

wisdom_entries parse_wisdom(std::string_view text) {
  line_reader lines(text);
  expect_header(lines.next());
  wisdom_entries entries;
  for (;;) {
    const std::string_view line = lines.next();
    if (line.starts_with("end ")) {
      const std::string expected = end_line(entries.size(), lines.before(line));
      if (line != expected) refuse(lines.number(), in_quotes(expected), line);
      if (!lines.at_end()) refuse(lines.number() + 1, "the end of the text", lines.rest());
      return entries;
    }
    if (!entries.insert(parse_entry(lines.number(), line)).second)
      refuse(lines.number(), "one entry for each type and length", line);
  }
}

}  // namespace papilio::fft_detail

#include "cli/common.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <new>

namespace papilio::cli {

void require_other_file(const char* flag, const std::string& out, const std::string& input) {
  std::error_code none;
  if (out != "-" && input != "-" && std::filesystem::equivalent(out, input, none))
    throw usage_error("{}: \"{}\" is the input itself", flag, out);
}

void require_named_output(const char* flag, const std::string& out, const std::string& input) {
  if (out == "-") throw usage_error("{}: must name a file, not standard output", flag);
  require_other_file(flag, out, input);
}

std::string shown_name(const std::string& file) { return file == "-" ? "standard input" : file; }

std::optional<std::string> failure_of(const std::string& file, const std::function<void()>& work) {
  try {
    work();
  } catch (const usage_error&) {
    throw;
  } catch (const io_error& e) {
    return e.what();
  } catch (const std::bad_alloc&) {
    return shown_name(file) + ": out of memory";
  } catch (const std::exception& e) {
    return fmt::format("{}: {}", shown_name(file), e.what());
  }
  return std::nullopt;
}

std::string given_or_environment(const std::string& given, const char* variable,
                                 const char* otherwise) {
  if (!given.empty()) return given;
  const char* const text = std::getenv(variable);
  return text == nullptr || *text == 0 ? otherwise : text;
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string counted(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

namespace {

void complain_by(std::string (*safe)(std::string_view), std::string_view text) noexcept {
  try {
    const std::string message = "papilio: " + safe(text) + "\n";
    std::fwrite(message.data(), 1, message.size(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("papilio: out of memory\n", stderr);
  }
}

}  // namespace

void complain(std::string_view text) noexcept { complain_by(printable, text); }

void complain_in_lines(std::string_view text) noexcept { complain_by(printable_lines, text); }

void warn(const std::string& text) { complain("warning: " + text); }

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) == EOF || std::fflush(stdout) == EOF)
    throw io_error("standard output", "cannot be written");
}

std::string format_duration(double seconds) {
  const double rounded = std::round(seconds * 1000) / 1000;
  const auto whole = static_cast<long long>(rounded);
  const double rest = rounded - static_cast<double>(whole / 60 * 60);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:06.3f}", whole / 3600, whole / 60 % 60, rest);
  if (whole >= 60) return fmt::format("{}:{:06.3f}", whole / 60, rest);
  return fmt::format("{:.3f} s", rounded);
}

namespace {

/// What a terminal acts on instead of showing it: control characters (C0, DEL, C1), marks and
/// overrides of direction, separators of lines, and what is never to be seen.
constexpr std::pair<std::uint32_t, std::uint32_t> unprintable[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},       {0xad, 0xad},          {0x61c, 0x61c},   {0x180e, 0x180e},
    {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},      {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
    {0xd800, 0xdfff}, {0xe0000, 0xe0fff}, {0x110000, 0xffffffff}};

bool is_printable(std::uint32_t point) {
  return std::none_of(std::begin(unprintable), std::end(unprintable), [&](const auto& range) {
    return point >= range.first && point <= range.second;
  });
}

struct character {
  std::uint32_t point;
  std::size_t bytes;  // 0: not UTF-8
};

character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return {0, 0};
  std::uint32_t point = byte(0) & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    point = point << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return {point, point < least[length] ? 0 : length};
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const character c = first_of(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    if (c.bytes > 0 && is_printable(c.point))
      safe += text.substr(0, bytes);
    else
      for (const char byte : text.substr(0, bytes))
        safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    text.remove_prefix(bytes);
  }
  return safe;
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  constexpr std::uint32_t first_wide = 0x1100;
  std::size_t bytes = 0;
  for (std::size_t taken = 0; bytes < text.size();) {
    const character c = first_of(text.substr(bytes));
    taken += c.point < first_wide ? 1 : 2;
    if (taken > columns) break;
    bytes += std::max<std::size_t>(c.bytes, 1);
  }
  return text.substr(0, bytes);
}

std::string printable_lines(std::string_view text) {
  std::string safe;
  for (;;) {
    const std::size_t end = text.find('\n');
    safe += printable(text.substr(0, end));
    if (end == std::string_view::npos) return safe;
    safe += '\n';
    text.remove_prefix(end + 1);
  }
}

namespace {

std::string build_without(const std::vector<std::string>& options) {
  return fmt::format("in this build, which has no {}", fmt::join(options, " and no "));
}

}  // namespace

std::string not_in_this_build(const std::string& what, const std::vector<std::string>& options) {
  return fmt::format("{} is not {}; configure with -D{}=ON", what, build_without(options),
                     fmt::join(options, "=ON -D"));
}

void add_missing_verb(program& app, const std::string& name,
                      const std::vector<std::string>& options) {
  app.add_refused_command(name, "Not " + build_without(options), not_in_this_build(name, options));
}

}  // namespace papilio::cli

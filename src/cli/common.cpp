#include "cli/common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>

#include "papilio/base/error.hpp"

namespace papilio::cli {

void require_one_standard_input(const std::vector<std::string>& files) {
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw usage_error("FILE: standard input (-) can be read only once");
}

void require_other_file(const char* flag, const std::string& out, const std::string& input) {
  std::error_code none;
  if (out != "-" && std::filesystem::equivalent(out, input, none))
    throw usage_error("{}: \"{}\" is the input itself", flag, out);
}

void require_named_output(const char* flag, const std::string& out, const std::string& input) {
  if (out == "-") throw usage_error("{}: must name a file, not standard output", flag);
  require_other_file(flag, out, input);
}

std::string shown_name(const std::string& file) { return file == "-" ? "standard input" : file; }

std::string output_stem(const std::string& file) {
  return file == "-" ? "stdin" : std::filesystem::path(file).stem().string();
}

std::string default_output(const std::string& file, const std::string& ending) {
  std::string name = output_stem(file) + ending;
  std::error_code none;
  if (std::filesystem::exists(name, none))
    throw usage_error("\"{}\" is there already; name it with -o, and it is replaced", name);
  return name;
}

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

void show_on_terminal(const std::string& text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

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

}  // namespace papilio::cli

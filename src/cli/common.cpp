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

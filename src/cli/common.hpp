#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "cli/flags.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {

/// Exit codes of the program.
enum exit_code : int { exit_done = 0, exit_bad_data = 1, exit_bad_usage = 2 };

/// A command line that parses but makes no sense; the message, which is that of fmt::format, names
/// the flag.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class First, class... Rest>
  usage_error(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
      : runtime_error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// Runs `work`; the library's invalid_argument becomes a usage_error of `before` and its text.
template <class Work>
auto with_usage(const std::string& before, const Work& work) {
  try {
    return work();
  } catch (const invalid_argument& e) {
    throw usage_error(before + e.what());
  }
}

/// "standard input" for "-", and any other name as it is.
std::string shown_name(const std::string& file);

/// An io_error that blames a file: its name, or "standard input" for "-", and a text.
template <class... Args>
io_error bad_file(const std::string& file, fmt::format_string<Args...> text, Args&&... args) {
  return {shown_name(file), fmt::format(text, std::forward<Args>(args)...)};
}

/// usage_error naming the flag if `out` is the input itself, under any name.
void require_other_file(const char* flag, const std::string& out, const std::string& input);
/// The same, and if `out` is "-".
void require_named_output(const char* flag, const std::string& out, const std::string& input);

/// Runs `work`; what is to be said of the file if it fails, with the file's name.
/// usage_error passes through.
std::optional<std::string> failure_of(const std::string& file, const std::function<void()>& work);

/// The value of a flag if it is given, else of an environment variable, else `otherwise`.
std::string given_or_environment(const std::string& given, const char* variable,
                                 const char* otherwise = "");

/// Text from outside (names, tags, messages that hold them) as one line that a terminal only shows:
/// control characters, marks and overrides of direction, invisible characters and bytes that are
/// not UTF-8 become \xNN, byte by byte.
std::string printable(std::string_view text);
/// Makes each line printable() and keeps line ends, as messages with a caret under the fault need.
std::string printable_lines(std::string_view text);

/// As much of a printable text as takes so many columns of a terminal at most: characters that may
/// be wide count as two.
std::string_view first_columns(std::string_view text, std::size_t columns);

/// The text with ASCII's capitals as small letters.
std::string lower_case(std::string text);

/// "1 frame", "2 frames".
std::string counted(std::uint64_t count, const char* noun);

/// "papilio: TEXT" on stderr, as one printable() line. Where it cannot be written (a full disk, a
/// closed descriptor) nothing happens: the work goes on, and the exit status is the work's.
void complain(std::string_view text) noexcept;
/// complain() for a message of several lines.
void complain_in_lines(std::string_view text) noexcept;
/// "papilio: warning: TEXT", likewise.
void warn(const std::string& text);

/// Prints on stdout; io_error if that fails (a full disk, a closed pipe).
void print(const std::string& text);

/// "1:02:03.500", "2:03.500" or "3.500 s".
std::string format_duration(double seconds);

/// "mp2 is not in this build, which has no PAPILIO_TENSOR; configure with -DPAPILIO_TENSOR=ON", of
/// the options that are off.
std::string not_in_this_build(const std::string& what, const std::vector<std::string>& options);

/// A verb that --help lists as not in this build, and that only says so.
void add_missing_verb(program& app, const std::string& name,
                      const std::vector<std::string>& options);

/// Components of this build, as in "core, fft, signal".
extern const char* const built_components;

/// Adds every verb, in the order of --help; those whose components are off refuse.
void add_verbs(program& app);

}  // namespace papilio::cli

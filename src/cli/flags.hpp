#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace papilio::cli {

class reporter;
struct file_default;

/// The check of a value's text. `problem` says what is wrong with the text, or nothing, and may
/// write it in another way; `bound` is what --help shows of the values that pass.
struct validator {
  std::function<std::string(std::string& text)> problem = {};
  std::string bound = {};
  std::string type_name = {};  ///< what --help calls the value, where TEXT or UINT says too little

  validator called(std::string type) const { return {problem, bound, std::move(type)}; }
};

// Texts are judged here, before the library reads them: it would let "nan" through, read "-1" as a
// huge unsigned number and "010" as eight.

/// A number in [low, high].
validator number_from(double low, double high);

/// A time in seconds in [low, high], or as 1:23.4 or 1:02:03.4.
validator time_from(double low, double high);

/// A number in [low, high], with or without the unit dB behind it.
validator level_from(double low, double high);

/// A whole decimal number in [low, high]; leading zeros are dropped.
validator whole_number_from(std::uint64_t low, std::uint64_t high);

/// A text that a function reads, which may write it in another way; what is wrong with it is the
/// message of its invalid_argument, less the function's name.
validator read_by(std::function<void(std::string& text)> read, std::string type_name);

/// Any text but none, which would count as an option that is not given.
validator not_empty();

/// One of the words, of any case, which becomes that of the list; or of the case in the list alone.
validator one_of(std::vector<std::string> words);
validator exactly_one_of(std::vector<std::string> words);

/// One or more of the words, of any case, with commas between them; and these again.
validator words_of(std::vector<std::string> words);
std::vector<std::string> split_words(const std::string& text, char at = ',');

/// The number that the text is, all of it.
template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The variable that an option is written into. It must stay where it is.
using option_value =
    std::variant<bool*, int*, std::size_t*, double*, std::string*, std::optional<int>*,
                 std::optional<std::size_t>*, std::optional<double>*, std::vector<std::string>*,
                 std::vector<std::size_t>*>;

/// Properties of an option: it may be left out, must be given, or does not show in --help.
enum class flag_trait { optional, required, hidden };

/// A row of a verb's table of options: "-o,--out|--output", of which --help shows what stands
/// before the bar. It may be given again where its variable is a list. A name without a dash is a
/// positional argument. --help shows the variable's value as the default, unless the help text
/// tells one in brackets.
struct flag {
  template <class T>
  flag(std::string names_of, T& variable, std::string help_of, validator check_of = {},
       flag_trait trait_of = flag_trait::optional)
      : names(std::move(names_of)),
        value(&variable),
        help(std::move(help_of)),
        check(std::move(check_of)),
        trait(trait_of) {}
  template <class T>
  flag(std::string names_of, T& variable, std::string help_of, flag_trait trait_of)
      : flag(std::move(names_of), variable, std::move(help_of), validator(), trait_of) {}

  std::string names;
  option_value value;
  std::string help;
  validator check;
  flag_trait trait;
};

/// An option, a flag or a positional argument of a command, and what it was given.
class option {
 public:
  option() = default;  ///< none, which is never given
  explicit option(const CLI::Option* of) : of_(of) {}

  std::string name() const;
  std::string group() const;
  bool given() const;
  const std::vector<std::string>& values() const;

 private:
  const CLI::Option* of_ = nullptr;
};

/// A command of the program, which its users call a verb.
class command {
 public:
  command(CLI::App& app, int& code) : app_(app), code_(code) {}
  command(const command&) = delete;
  command& operator=(const command&) = delete;

  /// Adds a table of options, under a heading of --help.
  void add(std::initializer_list<flag> rows, const std::string& heading = "Options");
  /// An option takes at least one and at most so many values, with commas or spaces between them.
  void separate_by_commas(const std::string& name, int most);
  /// Two options never make sense beside each other.
  void exclude(const std::string& name, const std::string& other);
  /// Text at the end of --help, before the examples.
  void footer(const std::string& text);
  /// A command line for --help, and what it does.
  void example(const std::string& line, const std::string& what);
  /// Called before the command line is read, with its words behind the command's name: where one of
  /// them decides which other options there are.
  void before_reading(std::function<void(const std::vector<std::string>& words)> work) {
    before_reading_ = std::move(work);
  }
  /// Sets the work of the verb, called once the command line is read; it returns the exit code.
  void run(std::function<int()> work);
  /// Sets the work of a verb that makes reports, and adds --json and --report.
  void reports(std::function<void(reporter&)> work);

  /// In the order in which they were added.
  std::vector<option> options() const;
  /// The one of that name, which must have been added.
  option named(const std::string& name) const;

  /// A flag as shells complete it: "--out" of "-o,--out", the words it may be, help's first line.
  struct listed_flag {
    std::string name, help;
    std::vector<std::string> words = {};
    bool takes_value = false;
  };
  std::string name() const;
  std::string help() const;
  std::vector<listed_flag> flags() const;

 private:
  friend class program;

  CLI::App& app_;
  int& code_;  ///< the program's
  std::function<void(const std::vector<std::string>&)> before_reading_ = {};
};

/// A command line of one command and its options.
class program {
 public:
  struct texts {
    std::string name, help, version, footer;
    std::string defaults =
        {};  ///< a TOML file of options by verb, if it is there; --no-config: not read
    /// Says what does something with a file, or a folder, whose name stands in a verb's place.
    std::function<std::string(const std::string& file)> file_hint = {};
  };

  explicit program(const texts& of);
  ~program();
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  /// The heading under which --help lists the commands that are added from here on.
  void begin_group(const std::string& heading);
  command& add_command(const std::string& name, const std::string& help);
  /// One that --help lists and that is refused for this reason, whatever its arguments are.
  void add_refused_command(const std::string& name, const std::string& help,
                           const std::string& refusal);

  /// Reads the command line and does what it says. The exit code is that of the command, 0 for help
  /// and the version, or that of bad usage, of which the reason is on stderr.
  int run(int argc, char** argv);

  const std::deque<command>& commands() const { return commands_; }

 private:
  struct backing;

  command& known_command(const std::string& name);
  /// Options of this verb in the file of defaults. usage_error as read_defaults, and for a
  /// section of no verb.
  std::vector<file_default> defaults_of(const CLI::App& verb);
  void take_defaults();
  void show_defaults();
  std::vector<std::string> rewritten(int argc, char** argv);

  std::unique_ptr<backing> of_;
  std::deque<command> commands_;
};

}  // namespace papilio::cli

#include "cli/flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "cli/common.hpp"
#include "cli/printable.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {

struct option::backing {
  CLI::Option& option;
};

option::option(std::unique_ptr<backing> of) : of_(std::move(of)) {}
option::~option() = default;

option& option::required() {
  of_->option.required();
  return *this;
}

option& option::check(validator with) {
  of_->option.transform(CLI::Validator(std::move(with.problem), std::move(with.bound)));
  return *this;
}

option& option::show_default() {
  of_->option.capture_default_str();
  return *this;
}

option& option::help(const std::string& text) {
  of_->option.description(text);
  return *this;
}

option& option::group(const std::string& heading) {
  of_->option.group(heading);
  return *this;
}

option& option::type_name(const std::string& name) {
  of_->option.type_name(name);
  return *this;
}

option& option::repeatable() {
  of_->option.expected(1)->take_all();
  return *this;
}

option& option::any_number() {
  of_->option.expected(0, std::numeric_limits<int>::max());
  return *this;
}

option& option::comma_separated(int most) {
  of_->option.delimiter(',')->expected(1, most);
  return *this;
}

option& option::needs(const option& other) {
  of_->option.needs(&other.of_->option);
  return *this;
}

option& option::excludes(const option& other) {
  of_->option.excludes(&other.of_->option);
  return *this;
}

std::string option::name() const { return of_->option.get_name(); }
std::string option::group() const { return of_->option.get_group(); }
bool option::given() const { return of_->option.count() > 0; }
const std::vector<std::string>& option::values() const { return of_->option.results(); }

struct command::backing {
  CLI::App& app;
  int& code;  ///< the program's
};

command::command(std::unique_ptr<backing> of) : of_(std::move(of)) {}
command::~command() = default;

option& command::add(std::unique_ptr<option::backing> of) {
  return options_.emplace_back(std::move(of));
}

template <class T>
option& command::add_option(const std::string& names, T& value, const std::string& help) {
  return add(std::unique_ptr<option::backing>(
      new option::backing{*of_->app.add_option(names, value, help)}));
}

#define PAPILIO_OPTION_OF(...) \
  template option& command::add_option(const std::string&, __VA_ARGS__&, const std::string&)
PAPILIO_OPTION_OF(std::string);
PAPILIO_OPTION_OF(std::vector<std::string>);
PAPILIO_OPTION_OF(int);
PAPILIO_OPTION_OF(std::size_t);
PAPILIO_OPTION_OF(std::vector<std::size_t>);
PAPILIO_OPTION_OF(double);
PAPILIO_OPTION_OF(std::optional<int>);
PAPILIO_OPTION_OF(std::optional<std::size_t>);
PAPILIO_OPTION_OF(std::optional<double>);
#undef PAPILIO_OPTION_OF

option& command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return add(std::unique_ptr<option::backing>(
      new option::backing{*of_->app.add_flag(names, value, help)}));
}

void command::footer(const std::string& text) { of_->app.footer(text); }

void command::run(std::function<int()> work) {
  of_->app.callback([work = std::move(work), &code = of_->code] { code = work(); });
}

const option& command::named(const std::string& name) const {
  const CLI::Option* const wanted = of_->app.get_option(name);
  return *std::find_if(options_.begin(), options_.end(),
                       [&](const option& each) { return &each.of_->option == wanted; });
}

option& command::named(const std::string& name) {
  return const_cast<option&>(std::as_const(*this).named(name));
}

struct program::backing {
  CLI::App app;
  std::map<std::string, std::string> refusals = {};  ///< of commands
  int code = exit_done;
};

program::program(const texts& of) : of_(new backing{.app = CLI::App(of.help, of.name)}) {
  CLI::App& app = of_->app;
  app.set_version_flag("--version", of.version);
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.footer(of.footer);
  app.failure_message([name = of.name](const CLI::App*, const CLI::Error& e) {
    return fmt::format("{}: {}\nRun with --help for more information.\n", name,
                       printable_lines(e.what()));
  });
}

program::~program() = default;

command& program::add_command(const std::string& name, const std::string& help) {
  CLI::App& app = *of_->app.add_subcommand(name, help);
  app.group("Verbs");
  return commands_.emplace_back(
      std::unique_ptr<command::backing>(new command::backing{app, of_->code}));
}

void program::add_refused_command(const std::string& name, const std::string& help,
                                  const std::string& refusal) {
  add_command(name, help);
  of_->refusals[name] = refusal;
}

// The library would only say that a verb is missing.
void program::require_known_command(int argc, char** argv) const {
  if (argc < 2) throw usage_error("a verb is missing");
  if (argv[1][0] == '-') return;
  std::string known;
  for (const CLI::App* verb : of_->app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == argv[1]) return;
    known += (known.empty() ? "" : ", ") + verb->get_name();
  }
  throw usage_error(fmt::format("there is no verb \"{}\"; there are {}", argv[1], known));
}

int program::run(int argc, char** argv) {
  if (const auto refused = of_->refusals.find(argc > 1 ? argv[1] : "");
      refused != of_->refusals.end()) {
    complain(refused->second);
    return exit_bad_usage;
  }
  try {
    require_known_command(argc, argv);
    of_->app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (of_->app.exit(e) != 0) return exit_bad_usage;
    if (!std::cout.flush()) throw io_error("standard output", "cannot be written");
  } catch (const usage_error& e) {
    complain_of_usage(e.what());
    return exit_bad_usage;
  }
  return of_->code;
}

}  // namespace papilio::cli

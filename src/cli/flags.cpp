#include "cli/flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>

#include "base/suggestion.hpp"
#include "cli/defaults_file.hpp"
#include "cli/help_formatter.hpp"
#include "cli/report.hpp"

namespace papilio::cli {
namespace {

// Words behind "--" are positional arguments, whatever they begin with. The library takes "--" for
// the end of an option's values, or hands what follows to the program: so these words are marked
// instead, by what no word of a command line has, and "--" stays where several values may stand before
// it. So is a word that begins with "->", which no flag does: subscripts of numbers.
constexpr char positional_mark = '\0';

void mark_positionals(std::vector<std::string>& words, const CLI::App& verb) {
  const auto option_of = [&](std::size_t i) -> const CLI::Option* {
    return words[i].starts_with('-') ? verb.get_option_no_throw(words[i]) : nullptr;
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    const CLI::Option* const before = option_of(i - 1);
    if (before != nullptr && before->get_items_expected_min() > 0) continue;  // its value
    if (words[i].starts_with("->")) words[i].insert(0, 1, positional_mark);
    if (words[i] != "--") continue;
    for (std::size_t j = i + 1; j < words.size(); ++j) words[j].insert(0, 1, positional_mark);
    std::size_t last = i - 1;
    while (last > 0 && !words[last].starts_with('-')) --last;
    const CLI::Option* const open = option_of(last);
    if (open == nullptr || open->get_expected_max() <= 1)
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

std::string unmarked(const std::string& word) {
  return word.starts_with(positional_mark) ? word.substr(1) : word;
}

}  // namespace

std::string option::name() const { return of_->get_name(); }
std::string option::group() const { return of_->get_group(); }
bool option::given() const { return of_ != nullptr && of_->count() > 0; }
const std::vector<std::string>& option::values() const { return of_->results(); }

void command::add(std::initializer_list<flag> rows, const std::string& heading) {
  for (const flag& row : rows) {
    const bool positional = row.names[0] != '-';
    std::string names = row.names;
    const std::size_t former = names.find('|');
    if (former != std::string::npos) names[former] = ',';
    CLI::Option& o = *std::visit(
        [&](auto* value) -> CLI::Option* {
          using value_type = std::remove_pointer_t<decltype(value)>;
          if constexpr (std::is_same_v<value_type, bool>) {
            return app_.add_flag(names, *value, row.help);
          } else {
            CLI::Option* const made = app_.add_option(names, *value, row.help);
            if (positional) return made;
            if constexpr (std::is_same_v<value_type, std::vector<std::string>> ||
                          std::is_same_v<value_type, std::vector<std::size_t>>)
              made->expected(1)->take_all()->allow_extra_args(false);
            bool has_default = std::is_arithmetic_v<value_type>;
            if constexpr (std::is_same_v<value_type, std::string>) has_default = !value->empty();
            if (has_default && row.help.find('[') == std::string::npos) made->capture_default_str();
            return made;
          }
        },
        row.value);
    if (row.check.problem) o.transform(CLI::Validator(row.check.problem, row.check.bound));
    // It comes first: the library runs those that are added last before the others.
    if (positional)
      o.transform(CLI::Validator(
          [](std::string& text) { return text = unmarked(text), std::string(); }, ""));
    if (!row.check.type_name.empty()) o.type_name(row.check.type_name);
    if (!positional) o.group(row.trait == flag_trait::hidden ? hidden_group : heading);
    if (row.trait == flag_trait::required) o.required();
    if (former != std::string::npos)
      std::static_pointer_cast<help_formatter>(app_.get_formatter())->shown_names[&o] =
          row.names.substr(0, former);
  }
}

void command::separate_by_commas(const std::string& name, int most) {
  app_.get_option(name)->delimiter(',')->expected(1, most);
}

void command::exclude(const std::string& name, const std::string& other) {
  app_.get_option(name)->excludes(app_.get_option(other));
}

void command::footer(const std::string& text) { app_.footer(text); }

void command::example(const std::string& line, const std::string& what) {
  const std::string before = app_.get_footer();
  const bool is_first = before.find("Examples:\n") == std::string::npos;
  app_.footer(fmt::format("{}{}  {}\n      {}", before,
                          !is_first        ? "\n"
                          : before.empty() ? "Examples:\n"
                                           : "\n\nExamples:\n",
                          line, what));
}

std::string command::name() const { return app_.get_name(); }
std::string command::help() const { return app_.get_description(); }

namespace {

// "{a,b,c}" among what --help shows of an option's values.
std::vector<std::string> words_of(const CLI::Option& o) {
  const std::string bound = o.get_type_name();
  const std::size_t begin = bound.find('{'), end = bound.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return split_words(bound.substr(begin + 1, end - begin - 1));
}

}  // namespace

std::vector<command::listed_flag> command::flags() const {
  std::vector<listed_flag> flags;
  for (const CLI::Option* o : app_.get_options()) {
    if (o->get_lnames().empty() || o->get_group() == hidden_group) continue;
    const std::string& text = o->get_description();
    flags.push_back({.name = "--" + o->get_lnames()[0],
                     .help = text.substr(0, text.find('\n')),
                     .words = words_of(*o),
                     .takes_value = o->get_expected_max() > 0 && o->get_items_expected_max() > 0});
  }
  return flags;
}

void command::run(std::function<int()> work) {
  app_.callback([work = std::move(work), &code = code_] { code = work(); });
}

void command::reports(std::function<void(reporter&)> work) {
  struct wishes {
    bool json = false, quiet = false;
    std::string form = "text";
  };
  auto how = std::make_shared<wishes>();
  add({{"--json", how->json, "Print JSON"},
       {"--report", how->form, "Form of the report: text to read, or JSON or CSV for programs",
        one_of({"text", "json", "csv"})},
       {"-q,--quiet", how->quiet, "Print no report, only warnings and errors"}});
  run([how, work = std::move(work)] {
    if (how->quiet && (how->json || how->form != "text"))
      throw usage_error("--quiet: not with --json or --report");
    reporter out(how->json || how->form == "json" ? report_format::json
                 : how->form == "csv"             ? report_format::csv
                                                  : report_format::text,
                 how->quiet);
    work(out);
    return out.finish();
  });
}

std::vector<option> command::options() const {
  std::vector<option> all;
  for (const CLI::Option* o : std::as_const(app_).get_options()) all.emplace_back(o);
  return all;
}

option command::named(const std::string& name) const { return option(app_.get_option(name)); }

namespace {

// The library names what it did not expect last to first.
std::string unexpected(const CLI::App& app) {
  const CLI::App* verb = &app;
  for (const CLI::App* parsed : app.get_subcommands()) verb = parsed;
  std::vector<std::string> flags;
  for (const CLI::Option* o : verb->get_options())
    for (const std::string& name : o->get_lnames()) flags.push_back("--" + name);
  std::string text;
  for (const std::string& word : app.remaining(true)) {
    const std::string argument = unmarked(word);
    const std::string flag = argument.substr(0, argument.find('='));
    text += fmt::format("{}\"{}\" was not expected{}", text.empty() ? "" : "\n", argument,
                        flag.starts_with("--") ? base_detail::suggestion(flag, flags) : "");
  }
  return text;
}

std::string hint_of(const CLI::App& app) {
  std::string line = app.get_name();
  for (const CLI::App* verb : app.get_subcommands()) line += " " + verb->get_name();
  return line + " --help tells more.\n";
}

}  // namespace

namespace {

/// The moment at which the command line is read and not yet judged, when options take the defaults
/// of the file. The library would read the file itself, wait for a FIFO, and name neither the file
/// nor the section of a bad value: it gets an empty file.
class moment_of_defaults : public CLI::Config {
 public:
  explicit moment_of_defaults(std::function<void()> take) : take_(std::move(take)) {}

  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return {}; }
  std::vector<CLI::ConfigItem> from_config(std::istream&) const override {
    take_();
    return {};
  }

 private:
  std::function<void()> take_;
};

constexpr const char* empty_file = "/dev/null";

/// Gives an option of this verb its value from the file of defaults, unless the command line has
/// set it. A usage_error names the file and the section.
CLI::Option& give_default(CLI::App& verb, const file_default& of, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error("{}: [{}]: {}", file, of.verb, why);
  };
  CLI::Option* const o = verb.get_option_no_throw((of.name.size() == 1 ? "-" : "--") + of.name);
  if (o == nullptr || !o->get_configurable()) {
    std::vector<std::string> names;
    for (const CLI::Option* known : std::as_const(verb).get_options())
      for (const std::string& name : known->get_lnames()) names.push_back(name);
    refuse(fmt::format("{} has no option \"{}\"{}", of.verb, of.name,
                       base_detail::suggestion(of.name, names)));
  }
  if (!o->empty()) return *o;
  try {
    if (o->get_expected_min() > 0)
      o->add_result(of.values);
    else if (of.values.size() == 1)
      o->add_result(o->get_flag_value(of.name, of.values[0]));
    else
      refuse(of.name + " takes true or false");
    o->run_callback();
  } catch (const CLI::ParseError& e) {
    refuse(e.what());
  }
  return *o;
}

}  // namespace

struct program::backing {
  CLI::App app;
  std::map<std::string, std::string> refusals = {};  ///< of commands
  std::string group = "Verbs";
  int code = exit_done;
  std::string defaults;
  std::function<std::string(const std::string&)> file_hint = {};
  bool ignores_defaults = false;
};

program::program(const texts& of)
    : of_(new backing{
          .app = CLI::App(of.help, of.name), .defaults = of.defaults, .file_hint = of.file_hint}) {
  CLI::App& app = of_->app;
  app.formatter(std::make_shared<help_formatter>());
  app.set_version_flag("--version", of.version);
  app.add_flag("--no-config", of_->ignores_defaults,
               "Do not read options from $XDG_CONFIG_HOME/papilio.toml")
      ->configurable(false);
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.footer(of.footer);
  app.failure_message([](const CLI::App* of_program, const CLI::Error& e) {
    std::string what = e.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr) what = unexpected(*of_program);
    return fmt::format("{}: {}\n{}", of_program->get_name(), printable_lines(what),
                       hint_of(*of_program));
  });
}

program::~program() = default;

void program::begin_group(const std::string& heading) { of_->group = heading; }

command& program::add_command(const std::string& name, const std::string& help) {
  CLI::App& app = *of_->app.add_subcommand(name, help);
  app.group(of_->group);
  return commands_.emplace_back(app, of_->code);
}

void program::add_refused_command(const std::string& name, const std::string& help,
                                  const std::string& refusal) {
  add_command(name, help);
  of_->refusals[name] = refusal;
}

command& program::known_command(const std::string& name) {
  std::vector<std::string> known;
  for (command& verb : commands_) {
    if (verb.name() == name) return verb;
    known.push_back(verb.name());
  }
  std::error_code none;
  if (std::filesystem::exists(name, none) && of_->file_hint)
    throw usage_error("\"{}\" is no verb but a {}: {}", name,
                      std::filesystem::is_directory(name, none) ? "folder" : "file",
                      of_->file_hint(name));
  throw usage_error("there is no verb \"{}\"{}\nVerbs are {}", name,
                    base_detail::suggestion(name, known), fmt::join(known, ", "));
}

// "papilio" and "papilio help VERB" ask for help.
std::vector<std::string> program::rewritten(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) words = {"--help"};
  if (words[0] == "help") {
    if (words.size() > 2) throw usage_error("help: \"{}\" was not expected", words[2]);
    if (words.size() == 2) known_command(words[1]);
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words[0][0] != '-') {
    of_->app.set_config("--config", empty_file)->group(hidden_group);
    of_->app.config_formatter(std::make_shared<moment_of_defaults>([this] { take_defaults(); }));
  }
  const std::size_t verb = words[0] == "--no-config" ? 1 : 0;
  if (words.size() > verb && words[verb][0] != '-') {
    const command& chosen = known_command(words[verb]);
    if (chosen.before_reading_)
      chosen.before_reading_({words.begin() + static_cast<std::ptrdiff_t>(verb) + 1, words.end()});
    mark_positionals(words, chosen.app_);
  }
  return words;
}

std::vector<file_default> program::defaults_of(const CLI::App& verb) {
  std::vector<file_default> all = read_defaults(of_->defaults);
  for (const file_default& each : all) {
    const auto is_it = [&](const command& known) { return known.name() == each.verb; };
    if (std::ranges::none_of(commands_, is_it))
      throw usage_error("{}: [{}]: there is no such verb", of_->defaults, each.verb);
  }
  std::erase_if(all, [&](const file_default& each) { return each.verb != verb.get_name(); });
  return all;
}

void program::take_defaults() {
  for (CLI::App* verb : of_->app.get_subcommands())
    if (verb->get_help_ptr()->empty())
      for (const file_default& each : defaults_of(*verb)) give_default(*verb, each, of_->defaults);
}

// Values of the file of defaults are the defaults that --help shows; errors in it become warnings.
void program::show_defaults() {
  if (of_->ignores_defaults) return;
  const auto attempt = [](const auto& work) {
    try {
      work();
    } catch (const usage_error& e) {
      warn(e.what());
    }
  };
  const auto show = [&](CLI::App& verb, const file_default& each) {
    CLI::Option& o = give_default(verb, each, of_->defaults);
    const std::string value = printable(fmt::format("{}", fmt::join(each.values, ",")));
    o.default_str(value);
    if (o.get_expected_max() == 0) o.description(o.get_description() + " [" + value + "]");
  };
  for (CLI::App* verb : of_->app.get_subcommands())
    attempt([&] {
      for (const file_default& each : defaults_of(*verb)) attempt([&] { show(*verb, each); });
    });
}

int program::run(int argc, char** argv) {
  if (const auto refused = of_->refusals.find(argc > 1 ? argv[1] : "");
      refused != of_->refusals.end()) {
    complain(refused->second);
    return exit_bad_usage;
  }
  try {
    std::vector<std::string> words = rewritten(argc, argv);
    std::ranges::reverse(words);  // as the library takes them
    of_->app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) show_defaults();
    if (of_->app.exit(e) != 0) return exit_bad_usage;
    if (!std::cout.flush()) throw io_error("standard output", "cannot be written");
  } catch (const usage_error& e) {
    complain_in_lines(e.what());
    std::fputs(hint_of(of_->app).c_str(), stderr);
    return exit_bad_usage;
  }
  return of_->code;
}

}  // namespace papilio::cli

#include "cli/flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>

#include "cli/defaults_file.hpp"
#include "cli/report.hpp"

namespace papilio::cli {
namespace {

// Letters that are put in, left out, changed or exchanged with their neighbours.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

/// "; did you mean WORD?", or nothing where no known word is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t least = std::min<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& k : known) {
    const std::size_t d = k.starts_with(word) && word.size() > 3 ? 0 : distance(word, k);
    if (d < least) {
      least = d;
      best = &k;
    }
  }
  return best == nullptr ? "" : fmt::format("; did you mean {}?", *best);
}

// The library hides options without a group, and leaves their names out of its messages too.
constexpr const char* hidden_group = "Hidden";

class help_formatter : public CLI::Formatter {
 public:
  std::map<const CLI::Option*, std::string> shown_names = {};  ///< of options with former names

  std::string make_option_name(const CLI::Option* o, bool is_positional) const override {
    const auto shown = shown_names.find(o);
    return shown != shown_names.end() ? shown->second
                                      : CLI::Formatter::make_option_name(o, is_positional);
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == hidden_group) return {};
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t gap = text.find("\n\n\n"); gap != std::string::npos; gap = text.find("\n\n\n"))
      text.erase(gap, 1);
    return text;
  }
};

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
              made->expected(1)->take_all();
            bool has_default = std::is_arithmetic_v<value_type>;
            if constexpr (std::is_same_v<value_type, std::string>) has_default = !value->empty();
            if (has_default && row.help.find('[') == std::string::npos) made->capture_default_str();
            return made;
          }
        },
        row.value);
    if (row.check.problem) o.transform(CLI::Validator(row.check.problem, row.check.bound));
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
  auto how = std::make_shared<std::pair<bool, std::string>>(false, "text");
  add({{"--json", how->first, "Print JSON"},
       {"--report", how->second, "Form of the report: text to read, or JSON or CSV for programs",
        one_of({"text", "json", "csv"})}});
  run([how, work = std::move(work)] {
    reporter out(how->first || how->second == "json" ? report_format::json
                 : how->second == "csv"              ? report_format::csv
                                                     : report_format::text);
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
  for (const std::string& argument : app.remaining(true)) {
    const std::string flag = argument.substr(0, argument.find('='));
    text += fmt::format("{}\"{}\" was not expected{}", text.empty() ? "" : "\n", argument,
                        flag.starts_with("--") ? nearest(flag, flags) : "");
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

/// What the file says of an option of this verb becomes its value, unless it has one. usage_error
/// that names the file and the section.
CLI::Option& give_default(CLI::App& verb, const file_default& of, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error("{}: [{}]: {}", file, of.verb, why);
  };
  CLI::Option* const o = verb.get_option_no_throw((of.name.size() == 1 ? "-" : "--") + of.name);
  if (o == nullptr || !o->get_configurable()) {
    std::vector<std::string> names;
    for (const CLI::Option* known : std::as_const(verb).get_options())
      for (const std::string& name : known->get_lnames()) names.push_back(name);
    refuse(fmt::format("{} has no option \"{}\"{}", of.verb, of.name, nearest(of.name, names)));
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
  bool ignores_defaults = false;
};

program::program(const texts& of)
    : of_(new backing{.app = CLI::App(of.help, of.name), .defaults = of.defaults}) {
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
  throw usage_error("there is no verb \"{}\"{}\nVerbs are {}", name, nearest(name, known),
                    fmt::join(known, ", "));
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
  if (words.size() > verb && words[verb][0] != '-')
    if (const command& chosen = known_command(words[verb]); chosen.before_reading_)
      chosen.before_reading_({words.begin() + static_cast<std::ptrdiff_t>(verb) + 1, words.end()});
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

// What the file of defaults says is the default that --help shows; what is wrong in it is a warning.
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

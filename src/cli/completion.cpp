// Scripts by which shells complete command lines, made from the verbs' own tables.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/common.hpp"
#include "cli/validators.hpp"

namespace papilio::cli {
namespace {

// 'text' as all three shells read it.
std::string in_quotes(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? "'\\''" : std::string(1, c);
  return safe + "'";
}

// "NAME:HELP" of zsh, where colons part the two.
std::string described(const std::string& name, const std::string& help) {
  std::string text;
  for (const char c : help) text += c == ':' ? "\\:" : std::string(1, c);
  return in_quotes(name + ":" + text);
}

// The text with each of these words replaced, once.
std::string filled(std::string text,
                   const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [word, by] : words) text.replace(text.find(word), word.size(), by);
  return text;
}

std::vector<std::string> verbs_of(const program& app) {
  std::vector<std::string> names{"help"};
  for (const command& verb : app.commands()) names.push_back(verb.name());
  return names;
}

// With those of the verbs that one of its flags names, as batch's does.
std::vector<command::listed_flag> flags_of(const program& app, const command& verb) {
  std::vector<command::listed_flag> flags = verb.flags();
  const std::vector<command::listed_flag> own = flags;
  for (const command& other : app.commands())
    for (const command::listed_flag& naming : own)
      if (std::ranges::find(naming.words, other.name()) != naming.words.end())
        for (const command::listed_flag& f : other.flags())
          if (std::ranges::find(flags, f.name, &command::listed_flag::name) == flags.end())
            flags.push_back(f);
  return flags;
}

std::string bash_script(const program& app) {
  std::string values, flags;
  for (const command& verb : app.commands()) {
    std::string names = "--help";
    for (const command::listed_flag& f : flags_of(app, verb)) {
      names += " " + f.name;
      if (!f.words.empty())
        values += fmt::format("    '{} {}') words={} ;;\n", verb.name(), f.name,
                              in_quotes(fmt::format("{}", fmt::join(f.words, " "))));
    }
    flags += fmt::format("    {}) words={} ;;\n", verb.name(), in_quotes(names));
  }
  return filled(R"sh(# bash completion of papilio: eval "$(papilio completion bash)"
_papilio() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} words=
  if [ "$COMP_CWORD" -eq 1 ] || [ "$COMP_CWORD $verb" = '2 help' ]; then
    COMPREPLY=($(compgen -W '@VERBS@' -- "$word"))
    return
  fi
  case "$verb $before" in
@VALUES@  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  case "$verb" in
@FLAGS@  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _papilio papilio
)sh",
                {{"@VERBS@", fmt::format("{}", fmt::join(verbs_of(app), " "))},
                 {"@VALUES@", values},
                 {"@FLAGS@", flags}});
}

std::string zsh_script(const program& app) {
  std::string verbs = "    'help:Explain a verb'\n", values, flags;
  for (const command& verb : app.commands()) {
    verbs += fmt::format("    {}\n", described(verb.name(), verb.help()));
    std::string names;
    for (const command::listed_flag& f : flags_of(app, verb)) {
      names += fmt::format("      {}\n", described(f.name, f.help));
      if (!f.words.empty())
        values += fmt::format("    '{} {}') compadd -- {}; return ;;\n", verb.name(), f.name,
                              fmt::join(f.words, " "));
    }
    flags += fmt::format("    {}) flags=(\n{}    ) ;;\n", verb.name(), names);
  }
  return filled(R"sh(#compdef papilio
# zsh completion of papilio: a file _papilio in a folder of $fpath
_papilio() {
  local -a verbs flags
  verbs=(
@VERBS@  )
  if (( CURRENT == 2 )) || [[ $CURRENT == 3 && $words[2] == help ]]; then
    _describe 'verb' verbs
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
@VALUES@  esac
  case $words[2] in
@FLAGS@  esac
  if [[ $words[CURRENT] == -* ]]; then _describe 'flag' flags; else _files; fi
}
compdef _papilio papilio
)sh",
                {{"@VERBS@", verbs}, {"@VALUES@", values}, {"@FLAGS@", flags}});
}

std::string fish_script(const program& app) {
  std::string script =
      "# fish completion of papilio: papilio completion fish | source\n"
      "complete -c papilio -n __fish_use_subcommand -f -a help -d 'Explain a verb'\n";
  for (const command& verb : app.commands()) {
    script += fmt::format("complete -c papilio -n __fish_use_subcommand -f -a {} -d {}\n",
                          verb.name(), in_quotes(verb.help()));
    for (const command::listed_flag& f : flags_of(app, verb)) {
      script += fmt::format("complete -c papilio -n '__fish_seen_subcommand_from {}' -l {} -d {}",
                            verb.name(), f.name.substr(2), in_quotes(f.help));
      if (!f.words.empty())
        script += fmt::format(" -x -a '{}'", fmt::join(f.words, " "));
      else if (f.takes_value)
        script += " -r";
      script += "\n";
    }
  }
  return script;
}

}  // namespace

void add_completion(program& app) {
  auto shell = std::make_shared<std::string>();
  command& verb = app.add_command("completion", "Print a script that completes papilio's commands");
  verb.add({{"SHELL", *shell, "bash, zsh or fish", exactly_one_of({"bash", "zsh", "fish"}),
             flag_trait::required}});
  verb.example("eval \"$(papilio completion bash)\"", "for this shell; in ~/.bashrc for all");
  verb.example("papilio completion zsh > ~/.zfunc/_papilio", "a folder of zsh's $fpath");
  verb.example("papilio completion fish > ~/.config/fish/completions/papilio.fish", "for fish");
  verb.run([&app, shell] {
    print(*shell == "bash"  ? bash_script(app)
          : *shell == "zsh" ? zsh_script(app)
                            : fish_script(app));
    return exit_done;
  });
}

}  // namespace papilio::cli

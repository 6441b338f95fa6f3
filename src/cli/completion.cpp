// Scripts by which shells complete command lines, made from the verbs' own tables.

#include "cli/common.hpp"

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

// The names of a verb's flags are its case; batch's --what names another verb, where mel is
// features.
std::string bash_script(const program& app) {
  std::string words;
  for (const command& verb : app.commands()) {
    std::string names = "--help";
    for (const command::listed_flag& f : verb.flags()) {
      names += " " + f.name;
      if (!f.words.empty())
        words += fmt::format("    '{} {}') echo {} ;;\n", verb.name(), f.name,
                             in_quotes(fmt::format("{}", fmt::join(f.words, " "))));
    }
    words += fmt::format("    {}) echo {} ;;\n", verb.name(), in_quotes(names));
  }
  return filled(
      R"sh(# bash completion of papilio: eval "$(papilio completion bash)"
_papilio_words() {
  case "$1" in
@WORDS@  esac
}
_papilio() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local verb=${COMP_WORDS[1]} what= i words
  if [ "$COMP_CWORD" -eq 1 ] || [ "$COMP_CWORD $verb" = '2 help' ]; then
    COMPREPLY=($(compgen -W '@VERBS@' -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    if [ "${COMP_WORDS[i]}" = --what ]; then what=${COMP_WORDS[i + 1]/#mel/features}; fi
  done
  words=$(_papilio_words "$verb $before"; _papilio_words "$what $before")
  if [ -z "$words" ] && [[ $word == -* ]]; then
    words=$(_papilio_words "$verb"; _papilio_words "$what")
  fi
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _papilio papilio
)sh",
      {{"@WORDS@", words}, {"@VERBS@", fmt::format("{}", fmt::join(verbs_of(app), " "))}});
}

std::string zsh_script(const program& app) {
  std::string verbs = "    'help:Explain a verb'\n", values, flags;
  for (const command& verb : app.commands()) {
    verbs += fmt::format("    {}\n", described(verb.name(), verb.help()));
    std::string names;
    for (const command::listed_flag& f : verb.flags()) {
      names += fmt::format("      {}\n", described(f.name, f.help));
      if (!f.words.empty())
        values += fmt::format("      '{} {}') compadd -- {}; return ;;\n", verb.name(), f.name,
                              fmt::join(f.words, " "));
    }
    flags += fmt::format("      {}) flags+=(\n{}    ) ;;\n", verb.name(), names);
  }
  return filled(R"sh(#compdef papilio
# zsh completion of papilio: a file _papilio in a folder of $fpath
_papilio() {
  local -a verbs flags
  local verb
  verbs=(
@VERBS@  )
  if (( CURRENT == 2 )) || [[ $CURRENT == 3 && $words[2] == help ]]; then
    _describe 'verb' verbs
    return
  fi
  for verb in $words[2] ${words[${words[(I)--what]}+1]/#mel/features}; do
    case "$verb $words[CURRENT-1]" in
@VALUES@    esac
    case $verb in
@FLAGS@    esac
  done
  if [[ $words[CURRENT] == -* ]]; then _describe 'flag' flags; else _files; fi
}
compdef _papilio papilio
)sh",
                {{"@VERBS@", verbs}, {"@VALUES@", values}, {"@FLAGS@", flags}});
}

// A verb that --what names counts as one that was seen.
std::string fish_script(const program& app) {
  std::string script =
      "# fish completion of papilio: papilio completion fish | source\n"
      "complete -c papilio -n __fish_use_subcommand -f -a help -d 'Explain a verb'\n";
  for (const command& verb : app.commands()) {
    script += fmt::format("complete -c papilio -n __fish_use_subcommand -f -a {} -d {}\n",
                          verb.name(), in_quotes(verb.help()));
    for (const command::listed_flag& f : verb.flags()) {
      script += fmt::format("complete -c papilio -n '__fish_seen_subcommand_from {}{}' -l {} -d {}",
                            verb.name(), verb.name() == "features" ? " mel" : "", f.name.substr(2),
                            in_quotes(f.help));
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

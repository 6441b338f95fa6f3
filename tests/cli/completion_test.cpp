// The scripts that papilio completion prints, in the shells that they are for.
#include <filesystem>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

class completion : public program_test {
 protected:
  /// What the shell prints that has read the script of its kind and then runs `commands`.
  std::string told_by(const std::string& shell, const std::string& commands) {
    const std::string path = "/usr/bin/" + shell;
    if (!std::filesystem::exists(path)) {
      ADD_FAILURE() << path << " is not there: scripts/install_dependencies.sh test";
      return {};
    }
    const child_result script = run({"completion", shell});
    EXPECT_EQ(script.exit_code, 0) << script.errors;
    write("script", script.output);
    const char* const plain = shell == "bash" ? "--norc" : shell == "zsh" ? "-f" : "--no-config";
    const child_result result =
        run_child({path, plain, "-c", commands}, {.directory = directory.path()});
    EXPECT_EQ(result.errors, "");
    return result.output;
  }
};

void expect_words(const std::string& text, const std::vector<std::string>& there,
                  const std::string& absent) {
  for (const std::string& word : there)
    EXPECT_NE(("\n" + text).find("\n" + word), std::string::npos) << word << " in\n" << text;
  EXPECT_EQ(("\n" + text).find("\n" + absent), std::string::npos) << text;
}

TEST_F(completion, of_bash) {
  const auto words = [&](const std::string& line) {
    return told_by("bash", ". ./script; COMP_WORDS=(" + line +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _papilio; "
                               "printf '%s\\n' \"${COMPREPLY[@]}\"");
  };
  expect_words(words("papilio sp"), {"spectrogram"}, "stft");
  expect_words(words("papilio help st"), {"stft"}, "spectrogram");
  expect_words(words("papilio spectrogram --n"), {"--n-fft"}, "--hop");
  expect_words(words("papilio spectrogram --colors m"), {"magma"}, "viridis");
  // Of the verb that --what names alone.
  expect_words(words("papilio batch --what psd --s"), {"--segment-length"}, "--smooth-bins");
  expect_words(words("papilio batch --what mel --n-"), {"--n-mels"}, "--hop");
  expect_words(words("papilio batch --what spectrogram --colors m"), {"magma"}, "viridis");
  write("a.wav", "");
  expect_words(words("papilio info a"), {"a.wav"}, "--");
}

TEST_F(completion, of_zsh) {
  const auto words = [&](const std::string& line, int current) {
    return told_by("zsh",
                   "compdef() {}; _describe() { print -l -- ${(P)2} }; _files() { print files }; "
                   "compadd() { shift; print -l -- $@ }; . ./script; words=(" +
                       line + "); CURRENT=" + std::to_string(current) + "; _papilio");
  };
  expect_words(words("papilio", 2), {"spectrogram:", "stft:", "help:"}, "--");
  expect_words(words("papilio spectrogram --", 3), {"--n-fft:", "--hop:"}, "files");
  expect_words(words("papilio spectrogram --colors", 4), {"magma", "viridis"}, "--hop");
  expect_words(words("papilio spectrogram a", 3), {"files"}, "--hop");
  expect_words(words("papilio batch --what psd --", 5), {"--segment-length:", "--jobs:"},
               "--smooth-bins");
}

TEST_F(completion, of_fish) {
  const auto words = [&](const std::string& line) {
    return told_by("fish", "source script; complete -C '" + line + "'");
  };
  expect_words(words("papilio sp"), {"spectrogram\t"}, "stft");
  expect_words(words("papilio spectrogram --n"), {"--n-fft"}, "--hop");
  expect_words(words("papilio spectrogram --colors m"), {"magma"}, "viridis");
  expect_words(words("papilio batch --what psd --s"), {"--segment-length"}, "--smooth-bins");
}

TEST_F(completion, of_another_shell_is_refused) {
  const child_result result = run({"completion", "csh"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("csh not in {bash,zsh,fish}"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace papilio::test

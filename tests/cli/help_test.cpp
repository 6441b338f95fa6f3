// Help texts against golden/NAME.txt, and what is made or told of them. After a change of a flag:
//   PAPILIO_UPDATE_GOLDEN=1 build/release/tests/cli/papilio_test_cli --gtest_filter='help.*'
// writes the texts as they are, for review.

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

namespace fs = std::filesystem;

class help : public program_test {
 protected:
  std::string text_of(std::vector<std::string> arguments) const {
    arguments.push_back("--help");
    const child_result result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }

  /// Every verb that the program lists.
  std::vector<std::string> verbs() const {
    std::istringstream lines(text_of({}));
    std::vector<std::string> found;
    bool listing = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) listing = false;
      if (listing) found.push_back(line.substr(2, line.find(' ', 2) - 2));
      if (line.ends_with(':')) listing = line != "Options:";
    }
    EXPECT_GE(found.size(), 4u);
    return found;
  }
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The long flags that a help text lists.
std::vector<std::string> flags_of(const std::string& text) {
  std::istringstream lines(text);
  std::vector<std::string> flags;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("--");
    if (line.rfind("  -", 0) != 0 || at == std::string::npos || at > 5) continue;
    flags.push_back(line.substr(at, line.find_first_of(" ,:", at) - at));
  }
  return flags;
}

TEST_F(help, texts_are_those_that_were_reviewed) {
  const fs::path golden = PAPILIO_GOLDEN;
  const bool update = std::getenv("PAPILIO_UPDATE_GOLDEN") != nullptr;
  std::set<std::string> expected{"papilio.txt"};
  const auto compare = [&](const std::string& name, const std::string& text) {
    expected.insert(name + ".txt");
    if (update) std::ofstream(golden / (name + ".txt"), std::ios::binary) << text;
    EXPECT_EQ(contents(golden / (name + ".txt")), text) << "see the head of help_test.cpp";
  };
  compare("papilio", text_of({}));
  for (const std::string& verb : verbs()) compare(verb, text_of({verb}));
  for (const auto& entry : fs::directory_iterator(golden))
    EXPECT_TRUE(expected.contains(entry.path().filename())) << entry.path() << " is of no verb";
}

TEST_F(help, the_program_is_called_by_its_name) {
  EXPECT_NE(text_of({"info"}).find("Usage: papilio info [OPTIONS] FILE...\n"), std::string::npos);
}

TEST_F(help, is_asked_for_in_three_ways) {
  const std::string all = text_of({}), of_psd = text_of({"psd"});
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"help"}}) {
    const child_result result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.output, all);
  }
  EXPECT_EQ(run({"help", "psd"}).output, of_psd);
  const child_result unknown = run({"help", "psf"}), more = run({"help", "psd", "x"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.errors.find("did you mean psd?"), std::string::npos) << unknown.errors;
  EXPECT_EQ(more.exit_code, 2);
}

TEST_F(help, every_verb_has_an_example) {
  for (const std::string& verb : verbs()) {
    const std::string text = text_of({verb});
    const std::size_t at = text.find("\nExamples:\n");
    ASSERT_NE(at, std::string::npos) << verb;
    EXPECT_NE(text.find("papilio " + verb, at), std::string::npos) << verb;
    // Flags of the examples are flags of the verb.
    std::istringstream words(text.substr(at));
    for (std::string word; words >> word;)
      if (word.size() > 1 && word[0] == '-' &&
          std::isalpha(static_cast<unsigned char>(word.back())) && word != "-i" && word != "-f") {
        EXPECT_NE(text.substr(0, at).find(word), std::string::npos) << verb << " " << word;
      }
  }
}

TEST_F(help, near_names_are_suggested) {
  const auto errors_of = [&](const std::vector<std::string>& words) {
    const child_result result = run(words);
    EXPECT_EQ(result.exit_code, 2);
    return result.errors;
  };
  EXPECT_EQ(errors_of({"spectogram", "a.wav"}).substr(0, 71),
            "papilio: there is no verb \"spectogram\"; did you mean spectrogram?\nVerbs");
  EXPECT_EQ(errors_of({"spectrogram", "a.wav", "--colurs", "x.csv", "--xyzzy"}),
            "papilio: \"--colurs\" was not expected; did you mean --colors?\n"
            "\"--xyzzy\" was not expected\npapilio spectrogram --help tells more.\n");
}

TEST_F(help, lines_fit_a_page) {
  for (const std::string& verb : verbs()) {
    std::istringstream lines(text_of({verb}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
}

TEST_F(help, every_flag_is_in_the_man_page) {
  const std::string path = PAPILIO_MAN_PAGE;
  if (path.empty()) GTEST_SKIP() << "cross-compiled: no man page";
  const std::string page = contents(path);
  EXPECT_EQ(page.rfind(".TH PAPILIO 1 ", 0), 0u);
  for (const std::string& verb : verbs()) {
    EXPECT_NE(page.find("\n.B papilio " + verb), std::string::npos) << verb;
    for (const std::string& flag : flags_of(text_of({verb}))) {
      std::string escaped;
      for (const char c : flag) {
        if (c == '-') escaped.push_back('\\');
        escaped.push_back(c);
      }
      EXPECT_NE(page.find(escaped), std::string::npos) << verb << " " << flag;
    }
  }
}

TEST_F(help, every_verb_and_flag_is_in_the_guide) {
  const std::string guide = contents(PAPILIO_CLI_GUIDE);
  for (const std::string& verb : verbs()) {
    const std::size_t section = guide.find("\n## papilio " + verb + "\n");
    ASSERT_NE(section, std::string::npos) << verb;
    for (const std::string& flag : flags_of(text_of({verb})))
      EXPECT_NE(guide.find("`" + flag), std::string::npos) << verb << " " << flag;
  }
}

}  // namespace
}  // namespace papilio::test

// Files and headings that README, CONTRIBUTING, CHANGELOG and docs/ name are there.
//   links       [text](file#heading), [text]: file; those with a scheme (https:) are not looked at
//   code spans  `file` with a folder: what ends in '/' or as a source file does, and what begins
//               with a folder of the repository, is a file of the repository
//   code blocks words that begin with a folder of the repository, and headers <papilio/...>
// Files are found from the repository's root, beside the document, and headers as compilers find
// them. Names with <...> or NAME in them stand for others; build/ is looked at by nobody.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace papilio::test {
namespace {

namespace fs = std::filesystem;
using std::string;

const fs::path root = PAPILIO_SOURCE_DIR;

string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a document is apart from its code blocks; and these.
struct document {
  string prose, code;
};
document parts_of(const string& text) {
  document parts;
  bool in_code = false;
  std::istringstream lines(text);
  for (string line; std::getline(lines, line);) {
    const bool fence =
        line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("```");
    if (!fence) (in_code ? parts.code : parts.prose) += line + '\n';
    if (fence) in_code = !in_code;
  }
  return parts;
}

// As GitHub makes them: letters, digits, '-' and '_' in lower case, spaces as '-'.
std::set<string> anchors_of(const string& prose) {
  std::set<string> anchors;
  std::istringstream lines(prose);
  for (string line; std::getline(lines, line);) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == string::npos || line[level] != ' ') continue;
    string anchor;
    for (const char c : line.substr(level + 1)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == ' ')
        anchor += '-';
      else if (std::isalnum(byte) || byte >= 0x80 || c == '-' || c == '_')
        anchor += char(std::tolower(byte));
    }
    for (int again = 1; !anchors.insert(anchor).second; ++again)
      if (anchors.insert(anchor + '-' + std::to_string(again)).second) break;
  }
  return anchors;
}

std::vector<string> matches(const string& text, const char* pattern) {
  const std::regex expression(pattern, std::regex::ECMAScript | std::regex::multiline);
  std::vector<string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

class names {
 public:
  names(fs::path repository, fs::path file)
      : root_(std::move(repository)), file_(std::move(file)) {}

  /// A sentence for each name of which there is nothing.
  std::vector<string> dead(const string& text) const {
    const document parts = parts_of(text);
    std::vector<string> found;
    const auto tell = [&](const char* kind, const string& name) {
      found.push_back(file_.generic_string() + ": " + kind + ' ' + name + " leads nowhere");
    };
    for (const char* pattern : {R"(\]\(([^)\s]+)\))", R"(^\[[^\]]+\]:\s*(\S+))"})
      for (const string& target : matches(parts.prose, pattern))
        if (!leads(target, parts.prose)) tell("link", target);
    for (const string& span : matches(parts.prose, R"(`(?:\./)?([\w.-]*/[\w./-]*)`)"))
      if (is_of_repository(span) && !stands_for_others(span) && !exists(span)) tell("file", span);
    for (const string& word : matches(parts.code, R"((?:^|[\s"'=(])(?:\./)?([\w.-]+/[\w./-]+))"))
      if (begins_in_repository(word) && !stands_for_others(word) && !exists(word))
        tell("file", word);
    for (const string& header : matches(parts.code, R"(<(papilio/[\w./-]+)>)"))
      if (!exists(header)) tell("header", header);
    return found;
  }

 private:
  bool leads(const string& target, const string& own_prose) const {
    if (std::regex_search(target, std::regex("^[a-z]+:"))) return true;
    const std::size_t hash = target.find('#');
    const string path = target.substr(0, hash);
    const fs::path to = root_ / file_.parent_path() / path;
    if (!path.empty() && !fs::exists(to)) return false;
    if (hash == string::npos) return true;
    const string prose = path.empty() ? own_prose : parts_of(contents(to)).prose;
    return anchors_of(prose).contains(target.substr(hash + 1));
  }
  bool begins_in_repository(const string& name) const {
    return fs::is_directory(root_ / name.substr(0, name.find('/')));
  }
  // A pattern, or what a build makes.
  static bool stands_for_others(const string& name) {
    return name.find("NAME") != string::npos || name.starts_with("build/");
  }
  bool is_of_repository(const string& name) const {
    static const std::regex source(R"(.*\.(hpp|cpp|md|txt|json|sh|cmake|py)|.*/)");
    return begins_in_repository(name) || std::regex_match(name, source);
  }
  bool exists(const string& name) const {
    for (const fs::path& from : {root_, root_ / file_.parent_path(), root_ / "include"})
      if (fs::exists(from / name)) return true;
    return false;
  }

  fs::path root_, file_;
};

std::vector<fs::path> documents() {
  std::vector<fs::path> all{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") all.push_back("docs" / entry.path().filename());
  return all;
}

TEST(docs, what_they_name_is_there) {
  EXPECT_GT(documents().size(), 10u);
  for (const fs::path& file : documents())
    for (const string& sentence : names(root, file).dead(contents(root / file)))
      ADD_FAILURE() << sentence;
}

std::vector<string> dead(const string& text) {
  return names(root, "docs/page.md").dead("# Page\n## Of `it`, all\n" + text + '\n');
}

TEST(docs, names_that_are_there) {
  for (const char* text :
       {"[a](isa.md)", "[a](../README.md)", "[a](#of-it-all)", "[a](https://nowhere.invalid/x)",
        "[a]: isa.md", "`isa.md`", "`docs/isa.md`", "`papilio/fft.hpp`", "`include/papilio/`",
        "`n/2`", "`published/mp2_energy`", "`build/release/x.hpp`", "`./build/x/`",
        "`src/NAME.cpp`", "`src/<module>/x.cpp`", "```sh\n./scripts/test.sh out/x.npy\n```",
        "```cpp\n#include <papilio/fft.hpp>\n```"})
    EXPECT_EQ(dead(text), std::vector<string>{}) << text;
}

TEST(docs, names_that_are_not) {
  for (const char* text :
       {"[a](nowhere.md)", "[a](isa.md#nowhere)", "[a](#nowhere)", "![a](nowhere.png)",
        "[a]: nowhere.md", "`docs/nowhere.md`", "`papilio/nowhere.hpp`", "`nowhere/`",
        "`src/fft/nowhere`", "`nowhere/file.cpp`", "```sh\n./scripts/nowhere.sh\n```",
        "```cpp\n#include <papilio/nowhere.hpp>\n```"})
    EXPECT_EQ(dead(text).size(), 1u) << text;
}

}  // namespace
}  // namespace papilio::test

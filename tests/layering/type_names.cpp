#include "layering/type_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>

namespace papilio::test {
namespace {

using std::string;
using std::string_view;
using words = std::vector<string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Identifiers, numbers, "::" and single characters; no comments, literals or directives.
class word_reader {
 public:
  explicit word_reader(string_view text) : text_(text) {}

  words all() {
    words result;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') is_line_start_ = true;
      if (std::isspace(static_cast<unsigned char>(c))) {
        ++at_;
      } else if (c == '#' && is_line_start_) {
        skip_directive();
      } else if (!skip_comment() && !skip_literal()) {
        is_line_start_ = false;
        result.push_back(word());
      }
    }
    return result;
  }

 private:
  bool is_at(string_view what) const { return text_.substr(at_).starts_with(what); }
  void skip_behind(string_view what, std::size_t from) {
    const std::size_t end = text_.find(what, from);
    at_ = end == string_view::npos ? text_.size() : end + what.size();
  }
  void skip_directive() {
    std::size_t end = text_.find('\n', at_);
    while (end != string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    at_ = std::min(end, text_.size());
  }
  bool skip_comment() {
    if (is_at("//"))
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (is_at("/*"))
      skip_behind("*/", at_ + 2);
    else
      return false;
    return true;
  }
  bool skip_literal() {
    if (is_at("R\"")) {
      const std::size_t open = text_.find('(', at_);
      const string_view mark = text_.substr(at_ + 2, open - at_ - 2);
      skip_behind(")" + string(mark) + "\"", open);
      return true;
    }
    const char quote = text_[at_];
    if (quote != '"' && quote != '\'') return false;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
    return true;
  }
  string word() {
    const std::size_t first = at_;
    const bool is_number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    // An apostrophe in a number parts its digits.
    while (at_ < text_.size() && (is_word(text_[at_]) || (is_number && text_[at_] == '\''))) ++at_;
    if (at_ == first) at_ += is_at("::") ? 2 : 1;
    return string(text_.substr(first, at_ - first));
  }

  string_view text_;
  std::size_t at_ = 0;
  bool is_line_start_ = true;
};

/// Behind the bracket that closes the one at `at`.
std::size_t behind_bracket(const words& w, std::size_t at, const string& open,
                           const string& close) {
  int depth = 0;
  for (; at < w.size(); ++at) {
    if (w[at] == open) ++depth;
    if (w[at] == close && --depth == 0) return at + 1;
  }
  return at;
}

/// Without parameters of templates, attributes, alignments and what parentheses hold.
words stripped(const words& statement) {
  words result;
  for (std::size_t i = 0; i < statement.size();) {
    const bool has_next = i + 1 < statement.size();
    if (statement[i] == "template" && has_next && statement[i + 1] == "<") {
      i = behind_bracket(statement, i + 1, "<", ">");
    } else if (statement[i] == "alignas") {
      i = behind_bracket(statement, i + 1, "(", ")");
    } else if (statement[i] == "[") {
      i = behind_bracket(statement, i, "[", "]");
    } else if (statement[i] == "(") {
      result.emplace_back("()");
      i = behind_bracket(statement, i, "(", ")");
    } else {
      result.push_back(statement[i++]);
    }
  }
  return result;
}

bool is_macro(const string& word) {
  return std::ranges::all_of(word, [](char c) {
    return std::isupper(static_cast<unsigned char>(c)) || c == '_' ||
           std::isdigit(static_cast<unsigned char>(c));
  });
}

/// The name of the type whose body follows; empty if none does.
string type_in(const words& statement) {
  static const std::set<string, std::less<>> keys{"struct", "class", "union", "enum"};
  const words s = stripped(statement);
  const auto key =
      std::find_if(s.rbegin(), s.rend(), [](const string& w) { return keys.contains(w); });
  if (key == s.rend()) return {};
  string name;
  for (auto w = key.base(); w != s.end() && *w != ":" && *w != "final"; ++w) {
    if (*w == "()" || *w == "=") return {};  // a function or a variable
    if (!(name.empty() && is_macro(*w) && std::next(w) != s.end() && *std::next(w) != ":"))
      name += *w;
  }
  return name;
}

string joined(const words& scopes, const string& name) {
  string all;
  for (const string& s : scopes)
    if (!s.empty()) all += s + "::";
  return all + name;
}

}  // namespace

std::vector<string> types_defined(string_view text) {
  const words w = word_reader(text).all();
  words statement, scopes;
  std::size_t anonymous = 0;  // of the scopes
  std::vector<string> types;
  for (std::size_t i = 0; i < w.size();) {
    if (w[i] == ";") {
      statement.clear();
      ++i;
    } else if (w[i] == "}") {
      if (!scopes.empty()) {
        anonymous -= scopes.back() == "?" ? 1 : 0;
        scopes.pop_back();
      }
      statement.clear();
      ++i;
    } else if (w[i] != "{") {
      statement.push_back(w[i++]);
    } else if (const auto space = std::ranges::find(statement, "namespace");
               space != statement.end()) {
      string name;
      for (auto part = space + 1; part != statement.end(); ++part) name += *part;
      scopes.push_back(name.empty() ? "?" : name);
      anonymous += name.empty() ? 1 : 0;
      statement.clear();
      ++i;
    } else if (statement == words{"extern"}) {  // "C"
      scopes.emplace_back();
      statement.clear();
      ++i;
    } else {
      const string name = type_in(statement);
      if (!name.empty() && anonymous == 0) types.push_back(joined(scopes, name));
      statement.clear();
      i = behind_bracket(w, i, "{", "}");
    }
  }
  return types;
}

std::vector<string> types_defined_twice(const std::map<string, string>& files) {
  std::map<string, std::set<string>> homes;
  for (const auto& [file, text] : files)
    for (const string& type : types_defined(text)) homes[type].insert(file);
  std::vector<string> result;
  for (const auto& [type, places] : homes) {
    if (places.size() < 2) continue;
    string line = type + " is defined in";
    for (const string& place : places) line += (place == *places.begin() ? " " : " and ") + place;
    result.push_back(line);
  }
  return result;
}

}  // namespace papilio::test

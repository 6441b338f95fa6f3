#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace papilio::cli {

// The library hides options without a group, and leaves their names out of its messages too.
inline constexpr const char* hidden_group = "Hidden";

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

}  // namespace papilio::cli

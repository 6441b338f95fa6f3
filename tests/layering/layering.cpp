#include "layering/layering.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>

namespace papilio::test {
namespace {

using std::string;
using std::string_view;

// Outside the library: these see public headers only.
constexpr std::array<string_view, 6> outer_places{"cli",   "examples",  "bench",
                                                  "tests", "consumers", "python"};

bool is_outer(string_view place) {
  return std::ranges::find(outer_places, place) != outer_places.end();
}

// Headers for users, of whole components.
bool is_umbrella(string_view module) { return module == "papilio" || module == "device"; }

string_view first_folder(string_view path) {
  const auto slash = path.find('/');
  return slash == string_view::npos ? string_view{} : path.substr(0, slash);
}

// "fft/plan.hpp" and "fft.hpp" are both of fft.
string_view module_of_public_header(string_view below_papilio) {
  const auto folder = first_folder(below_papilio);
  return folder.empty() ? below_papilio.substr(0, below_papilio.rfind('.')) : folder;
}

struct include_line {
  string header;
  bool is_macro;
};

std::vector<include_line> includes_of(string_view text) {
  static const std::regex quoted(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
  static const std::regex named(R"(^\s*#\s*include\s*([A-Za-z_]\w*).*)");
  std::vector<include_line> result;
  std::istringstream lines{string(text)};
  std::smatch match;
  for (string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, quoted))
      result.push_back({match[1], false});
    else if (std::regex_match(line, match, named))
      result.push_back({match[1], true});
  }
  return result;
}

bool is_public_path(string_view path) { return path.starts_with("include/"); }

const name_set* third_party_rule(string_view header, const layering_table& table) {
  for (const auto& [name, places] : table.third_party)
    if (header.starts_with(name)) return &places;
  return nullptr;
}

std::optional<string> ours_refused(string_view place, string_view module, string_view header,
                                   const layering_table& table) {
  if (module == place || module == "version" || is_umbrella(place)) return std::nullopt;
  if (is_outer(place)) return std::nullopt;
  if (is_umbrella(module)) return "the umbrella is for users";
  const auto allowed = table.modules.find(place);
  if (allowed == table.modules.end() || allowed->second.contains(module)) return std::nullopt;
  if (table.exceptions.contains(string(place) + ' ' + string(header))) return std::nullopt;
  return string(place) + " may not include " + string(module);
}

std::optional<string> public_refused(string_view place, string_view header,
                                     const layering_table& table) {
  const auto module = module_of_public_header(header.substr(string_view("papilio/").size()));
  if (!is_umbrella(module) && module != "version" && !table.modules.contains(module))
    return "no such module: " + string(module);
  return ours_refused(place, module, header, table);
}

std::optional<string> private_refused(string_view place, string_view header, bool in_public_header,
                                      const layering_table& table) {
  const string_view module = first_folder(header);
  if (in_public_header) return "a public header includes public headers only";
  if (module == place) return std::nullopt;
  if (table.exceptions.contains(string(place) + ' ' + string(header))) return std::nullopt;
  if (is_outer(place)) return "only public headers may be included here";
  return ours_refused(place, module, header, table);
}

std::optional<string> refused(string_view path, string_view place, const include_line& include,
                              const layering_table& table) {
  const string_view header = include.header;
  if (include.is_macro) {
    if (header == "HWY_TARGET_INCLUDE" && (place == "fft" || place == "engine"))
      return std::nullopt;
    return "an #include must name its file";
  }
  if (header.find("..") != string_view::npos) return "a path must not climb";
  if (header.starts_with("papilio/")) return public_refused(place, header, table);
  if (const auto* const places = third_party_rule(header, table)) {
    if (is_public_path(path)) return "a public header includes std and papilio only";
    if (places->contains(place)) return std::nullopt;
    return "this library is not for " + string(place);
  }
  const auto folder = first_folder(header);
  if (place == "tests" && path.starts_with("tests/" + string(folder) + '/')) return std::nullopt;
  if (place == "tests" && folder == "support") return std::nullopt;
  if (table.modules.contains(folder) || is_outer(folder) || folder == "support")
    return private_refused(place, header, is_public_path(path), table);
  const bool issues_numbers = std::ranges::none_of(
      table.without_numerics, [&](const string& design) { return path.starts_with(design); });
  if (issues_numbers && table.forbidden.contains(string(place) + ' ' + string(header)))
    return string(place) + " may not include it";
  const bool is_standard = folder.empty() && header.find('.') == string_view::npos;
  if (is_standard) return std::nullopt;
  // The names of a library that users of a component have anyway.
  if (table.exceptions.contains(string(place) + ' ' + string(header))) return std::nullopt;
  if (is_public_path(path)) return "a public header includes std and papilio only";
  if (folder.empty() && header.ends_with(".hpp")) return std::nullopt;  // beside the includer
  const bool is_system = (folder.empty() && header.ends_with(".h")) || folder == "sys";
  return is_system ? std::nullopt : std::optional<string>("not in the table");
}

}  // namespace

string place_of(string_view path, const layering_table& table) {
  string_view place;
  if (path.starts_with("tests/consumers/")) {
    place = "consumers";
  } else if (path.starts_with("src/")) {
    place = first_folder(path.substr(string_view("src/").size()));
  } else if (path.starts_with("include/papilio/")) {
    place = module_of_public_header(path.substr(string_view("include/papilio/").size()));
    if (is_umbrella(place)) return string(place);
    if (place == "version") return "base";
  } else {
    place = first_folder(path);
  }
  return table.modules.contains(place) || is_outer(place) ? string(place) : string();
}

std::vector<string> layering_violations(string_view path, string_view text,
                                        const layering_table& table) {
  const string place = place_of(path, table);
  if (place.empty()) return {string(path) + ": its folder is not in the table"};
  std::vector<string> result;
  for (const auto& include : includes_of(text))
    if (const auto reason = refused(path, place, include, table))
      result.push_back(string(path) + ": #include " + include.header + ": " + *reason);
  return result;
}

std::size_t line_count(string_view text) {
  const auto newlines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return newlines + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

std::vector<std::filesystem::path> sources_below(const std::filesystem::path& root,
                                                 const std::vector<string>& folders) {
  std::vector<std::filesystem::path> result;
  for (const auto& folder : folders) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".hpp" || extension == ".cpp"))
        result.push_back(entry.path().lexically_relative(root));
    }
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace papilio::test

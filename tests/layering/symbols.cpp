#include "layering/symbols.hpp"

#include <optional>
#include <sstream>

namespace papilio::test {
namespace {

/// The function or object without its result, template arguments and parameters:
/// papilio::fft_detail::design of "papilio::recipe papilio::fft_detail::design<float>(int)".
std::string name_of(std::string_view symbol) {
  std::string name;
  int depth = 0;
  for (const char c : symbol) {
    if (c == '<') ++depth;
    if (depth == 0 && c == '(') break;
    if (depth == 0) name += c;
    if (c == '>') --depth;
  }
  const auto blank = name.rfind(' ');
  return blank == std::string::npos ? name : name.substr(blank + 1);
}

/// M where the symbol is of papilio::M_detail, engine or kernels of those; none where it is anybody's.
std::optional<std::string> module_of(std::string_view symbol) {
  const std::string name = name_of(symbol);
  const std::string_view root = "papilio::";
  if (!name.starts_with(root)) return std::nullopt;
  const auto end = name.find("::", root.size());
  if (end == std::string::npos) return std::nullopt;
  const std::string space = name.substr(root.size(), end - root.size());
  if (space == "engine" || space == "kernels") return space;
  if (!space.ends_with("_detail")) return std::nullopt;
  return space.substr(0, space.find('_'));
}

void add_linked(const std::string& component, const layering_table& table, name_set& all) {
  if (!all.insert(component).second) return;
  for (const std::string& link : table.components.at(component).links) add_linked(link, table, all);
}

}  // namespace

library_symbols symbols_of(std::string_view nm_output) {
  library_symbols symbols;
  std::istringstream lines{std::string(nm_output)};
  for (std::string line; std::getline(lines, line);) {
    // The address or blanks, the kind, and the symbol.
    if (line.size() < 20 || name_of(line.substr(19)).find("papilio::") == std::string::npos)
      continue;
    (line[17] == 'U' ? symbols.undefined : symbols.defined).insert(line.substr(19));
  }
  return symbols;
}

std::vector<std::string> symbol_violations(const std::map<std::string, library_symbols>& libraries,
                                           const layering_table& table) {
  std::vector<std::string> violations;
  for (const auto& [component, symbols] : libraries) {
    const auto& modules = table.components.at(component).modules;
    for (const std::string& symbol : symbols.defined) {
      const auto module = module_of(symbol);
      const bool known = module && table.modules.contains(*module);
      if (known && !modules.contains(*module))
        violations.push_back(component + " has " + symbol + ", which is of module " + *module);
    }
    name_set linked;
    add_linked(component, table, linked);
    for (const std::string& symbol : symbols.undefined) {
      bool found = false;
      for (const std::string& other : linked)
        found =
            found || (libraries.contains(other) && libraries.at(other).defined.contains(symbol));
      if (!found) violations.push_back(component + " wants " + symbol);
    }
  }
  return violations;
}

}  // namespace papilio::test

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "layering/layering.hpp"

namespace papilio::test {

/// What a library has and wants of namespace papilio, as nm -DC prints it.
struct library_symbols {
  name_set defined, undefined;
};

library_symbols symbols_of(std::string_view nm_output);

/// One reason per symbol that a component has of a module that is not its own, or wants and neither it
/// nor what it links has. `libraries` are by component.
std::vector<std::string> symbol_violations(const std::map<std::string, library_symbols>& libraries,
                                           const layering_table& table);

}  // namespace papilio::test

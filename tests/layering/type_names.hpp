#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::test {

/// The types that a text defines at namespace scope (struct, class, union, enum) by their qualified
/// names, with the arguments of a specialization: "a::b::c<int*>". Not those in an anonymous
/// namespace, and none that macros make. Reads text, not C++: what stands in an #if counts.
std::vector<std::string> types_defined(std::string_view text);

/// Of files by name: one line for each type that more than one of them defines.
std::vector<std::string> types_defined_twice(const std::map<std::string, std::string>& files);

}  // namespace papilio::test

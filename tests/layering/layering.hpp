#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::test {

using name_set = std::set<std::string, std::less<>>;

/// The layers as data. A place is where a source file lies: a module (src/M, include/papilio/M,
/// kernels), or outside the library "examples", "bench", "tests", "consumers" or "python".
struct layering_table {
  /// A library: the modules it is made of, and the libraries that it links.
  struct component {
    name_set modules, links;
  };
  std::map<std::string, component, std::less<>> components;
  /// module -> the modules whose headers it may include besides its own
  std::map<std::string, name_set, std::less<>> modules;
  /// "place header" that a place may include although it otherwise may not
  name_set exceptions;
  /// "module header" that a module must not include although it belongs to the standard library
  name_set forbidden;
  /// Folders of modules that issue no numbers: what is forbidden for those is not for them.
  name_set without_numerics;
  /// how the name of a header of others begins -> the places that may include it
  std::map<std::string, name_set, std::less<>> third_party;
};

const layering_table& design_table();

/// One reason per #include of `text`, the contents of the file `path` (relative to the repository),
/// that the table does not allow; empty if there is none.
std::vector<std::string> layering_violations(std::string_view path, std::string_view text,
                                             const layering_table& table);

/// Where the file lies, or "" if the table has no such place. The files directly in
/// include/papilio belong to the module that they are named for, the umbrella to "papilio".
std::string place_of(std::string_view path, const layering_table& table);

std::size_t line_count(std::string_view text);

/// Every .hpp and .cpp file below the named folders of `root`, relative to it; absent folders are
/// skipped.
std::vector<std::filesystem::path> sources_below(const std::filesystem::path& root,
                                                 const std::vector<std::string>& folders);

}  // namespace papilio::test

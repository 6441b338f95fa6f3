#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace papilio::cli {

/// Marks by which a command recognises its own files, of kinds that have no field for the name of
/// the program that wrote them.
struct own_forms {
  std::vector<std::string> element_types = {};  ///< of an NPY of rank 2 or 3
  std::vector<std::string> headings = {};       ///< fields with which a table's first line begins
};

/// Whether an earlier run made a file, as output_kinds asks. PNG, SVG, PDF, HTML and sounds say that
/// papilio wrote them, the description of spectra says what it is.
std::function<bool(const std::filesystem::path& path, const std::string& kind)> own_files(
    own_forms forms = {});

}  // namespace papilio::cli

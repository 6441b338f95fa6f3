#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace papilio::cli {

/// What tells that a file is a command's own where its kind has no place for the name of the program
/// that wrote it.
struct own_forms {
  std::vector<std::string> element_types = {};  ///< of an NPY of rank 2 or 3
  std::vector<std::string> headings = {};       ///< fields with which a table's first line begins
};

/// Whether an earlier run made a file, as output_kinds asks. PNG, SVG, PDF, HTML and sounds say that
/// papilio wrote them, the description of spectra says what it is.
std::function<bool(const std::filesystem::path& path, const std::string& kind)> own_files(
    own_forms forms = {});

}  // namespace papilio::cli

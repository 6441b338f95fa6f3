#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "cli/common.hpp"

namespace papilio::cli {

namespace fs = std::filesystem;

std::vector<fs::path> outputs_of(const std::vector<std::string>& files, const std::string& out,
                                 const std::string& ending) {
  const bool into_directory = fs::is_directory(out);
  if (files.size() > 1 && !into_directory)
    throw usage_error("--out: must be an existing directory where there are several files, got \"" +
                      out + "\"");
  std::vector<fs::path> outputs;
  std::set<fs::path> seen;
  for (const std::string& file : files) {
    fs::path output = out;
    if (into_directory) output /= output_stem(file) + ending;
    std::error_code none;
    if (fs::equivalent(output, file, none))
      throw usage_error(fmt::format("--out: \"{}\" is the input itself", output.string()));
    if (!seen.insert(output.lexically_normal()).second)
      throw usage_error(
          fmt::format("--out: two of the files would both become \"{}\"", output.string()));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace papilio::cli

#include "papilio/render.hpp"

#include <filesystem>
#include <string>

#include "papilio/base/error.hpp"

namespace papilio {

picture_format picture_format_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (extension == ".png") return picture_format::png;
  if (extension == ".svg") return picture_format::svg;
  if (extension == ".pdf") return picture_format::pdf;
  throw invalid_argument(base_detail::message(
      "picture_format_of: path must end in .png, .svg or .pdf, not \"", path.string(), "\""));
}

}  // namespace papilio

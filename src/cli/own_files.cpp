#include "cli/own_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "cli/json_value.hpp"
#include "papilio/base/error.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace {

using namespace std::string_view_literals;

struct mark {
  std::string_view kind, text;
  bool stands_last;
};

/// Where each kind names its program: within the first or the last bytes_searched bytes.
constexpr mark marks[] = {
    {"png", "tEXtSoftware\0papilio"sv, false},
    {"svg", "<!-- made by papilio -->", true},
    {"pdf", "/Creator (papilio)", true},
    {"html", "<meta name=\"generator\" content=\"papilio\">", false},
    {"wav", "JUNK\x1c\0\0\0papilio"sv, false},
    {"flac", "software=papilio", false},
    {"ogg", "SOFTWARE=papilio", false},
};
constexpr std::streamoff bytes_searched = 1 << 16;

std::string bytes_of(const std::filesystem::path& path, bool last) {
  std::ifstream file(path, std::ios::binary);
  if (last && file.seekg(0, std::ios::end))
    file.seekg(std::max<std::streamoff>(0, file.tellg() - bytes_searched));
  std::string bytes(bytes_searched, '\0');
  file.read(bytes.data(), bytes_searched);
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

bool is_own_array(const std::filesystem::path& path, const own_forms& forms) {
  try {
    const npy_description array = describe_npy(path);
    const std::size_t rank = array.extents.size();
    return (rank == 2 || rank == 3) && !array.fortran_order &&
           std::ranges::find(forms.element_types, array.element_type) != forms.element_types.end();
  } catch (const io_error&) {
    return false;
  }
}

bool is_own_description(const std::filesystem::path& path) {
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  try {
    const json_value object = read_json_object(path.string(), most_bytes);
    const json_value* const what = object.find("what");
    return what != nullptr && *what == json_value("stft");
  } catch (const io_error&) {
    return false;
  }
}

}  // namespace

std::function<bool(const std::filesystem::path&, const std::string&)> own_files(own_forms forms) {
  return [forms = std::move(forms)](const std::filesystem::path& path, const std::string& kind) {
    if (kind == "npy") return is_own_array(path, forms);
    if (kind == "json") return is_own_description(path);
    if (kind == "csv")
      return std::ranges::any_of(forms.headings, [head = bytes_of(path, false)](const auto& begin) {
        return head.starts_with(begin + ",");
      });
    const auto* const of_kind = std::ranges::find(marks, kind, &mark::kind);
    return of_kind != std::end(marks) &&
           bytes_of(path, of_kind->stands_last).find(of_kind->text) != std::string::npos;
  };
}

}  // namespace papilio::cli

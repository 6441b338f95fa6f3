#include "base/text_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "papilio/base/error.hpp"

namespace papilio::base_detail {
namespace {

std::string reason_of(int code) { return std::generic_category().message(code); }

}  // namespace

std::string read_text_file(const std::filesystem::path& path, std::size_t most_bytes,
                           const char* what) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem))
    throw io_error(path.string(), reason_of(EISDIR));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw io_error(path.string(), reason_of(errno != 0 ? errno : EIO));
  std::string text;
  char block[4096];
  while (file.read(block, sizeof block), file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_bytes)
      throw io_error(path.string(), message("expected at most ", most_bytes, " bytes of ", what));
  }
  if (file.bad()) throw io_error(path.string(), reason_of(EIO));
  return text;
}

}  // namespace papilio::base_detail

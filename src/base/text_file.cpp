#include "base/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/named_descriptor.hpp"
#include "papilio/base/error.hpp"

namespace papilio::base_detail {

std::string read_text_file(const std::filesystem::path& path, std::size_t most_bytes,
                           const char* what) {
  const auto require = [&](bool holds) {
    if (!holds) throw io_error(path.string(), std::generic_category().message(errno));
  };
  // A FIFO that nobody writes into would keep an open() without O_NONBLOCK waiting.
  const bool is_descriptor = named_descriptor(path.string()).has_value();
  struct file {
    int descriptor;
    ~file() {
      if (descriptor >= 0) ::close(descriptor);
    }
  } const opened{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_descriptor ? 0 : O_NONBLOCK))};
  require(opened.descriptor >= 0);
  struct stat status {};
  require(::fstat(opened.descriptor, &status) == 0);
  if (!is_descriptor && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    throw io_error(path.string(), "is not a regular file");
  std::string text;
  char block[4096];
  for (;;) {
    const ssize_t got = ::read(opened.descriptor, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    require(got >= 0);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > most_bytes)
      throw io_error(path.string(), message("expected at most ", most_bytes, " bytes of ", what));
  }
}

}  // namespace papilio::base_detail

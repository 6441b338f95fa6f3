#include "audio/spool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio::audio_detail {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;

struct spool_file {
  std::string name;  // of what is read
  std::filesystem::path folder;
  int descriptor = -1;

  ~spool_file() {
    if (descriptor >= 0) ::close(descriptor);
  }
  void open();
  void write(const char* data, std::size_t size_bytes);
  [[noreturn]] void fail(int code) const {
    throw io_error(name, base_detail::message("cannot be kept in ", folder.string(), ": ",
                                              std::generic_category().message(code)));
  }
};

void spool_file::open() {
  std::error_code problem;
  folder = std::filesystem::temp_directory_path(problem);
  if (problem) throw io_error(name, "there is no folder for temporary files: " + problem.message());
  descriptor = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor >= 0) return;
  // Not every file system has files without a name.
  std::string pattern = folder / ".papilio-XXXXXX";
  descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor < 0) fail(errno);
  ::unlink(pattern.c_str());
}

void spool_file::write(const char* data, std::size_t size_bytes) {
  while (size_bytes > 0) {
    const ssize_t written = ::write(descriptor, data, size_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : EIO);
    data += written;
    size_bytes -= static_cast<std::size_t>(written);
  }
}

/// Bytes that came, waiting for them if need be; 0 at the end.
std::size_t read_some(int descriptor, std::vector<char>& block, const std::string& name) {
  for (;;) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN) {
      pollfd waiting{descriptor, POLLIN, 0};
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      throw io_error(name, std::generic_category().message(errno));
    }
  }
}

}  // namespace

int spool(int descriptor, const std::string& name) {
  spool_file file{.name = name, .folder = {}};
  file.open();
  std::vector<char> block(block_bytes);
  while (const std::size_t got = read_some(descriptor, block, name)) file.write(block.data(), got);
  return std::exchange(file.descriptor, -1);
}

}  // namespace papilio::audio_detail

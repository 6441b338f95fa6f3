#include "audio/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::audio_detail {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, int code) {
  throw io_error(path.string(), std::generic_category().message(code));
}

void check_kind(const std::filesystem::path& path, mode_t mode) {
  if (S_ISREG(mode)) return;
  const char* reason = "is not a regular file";
  if (S_ISDIR(mode)) reason = "is a directory";
  if (S_ISFIFO(mode)) reason = "is a FIFO; sound is read from regular files only";
  if (S_ISCHR(mode)) reason = "is a character device; sound is read from regular files only";
  if (S_ISBLK(mode)) reason = "is a block device; sound is read from regular files only";
  if (S_ISSOCK(mode)) reason = "is a socket; sound is read from regular files only";
  throw io_error(path.string(), reason);
}

}  // namespace

// The kind is looked at before opening, since opening a device may act on it, and again after,
// since the name may by then mean another file; O_NONBLOCK keeps a FIFO from hanging in between.
file_bytes::file_bytes(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) refuse(path, errno);
  check_kind(path, status.st_mode);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) refuse(path, errno);
  try {
    if (::fstat(descriptor_, &status) != 0) refuse(path, errno);
    check_kind(path, status.st_mode);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

file_bytes::~file_bytes() { ::close(descriptor_); }

std::size_t file_bytes::read(std::uint64_t offset, void* out, std::size_t count) noexcept {
  if (offset >= size_) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  char* const bytes = static_cast<char*>(out);
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(descriptor_, bytes + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && failure_ == 0) failure_ = errno;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  apply_replacement(offset, bytes, done);
  return done;
}

void file_bytes::apply_replacement(std::uint64_t offset, char* out,
                                   std::size_t count) const noexcept {
  const std::uint64_t first = std::max(offset, replaced_at_);
  const std::uint64_t last = std::min(offset + count, replaced_at_ + replacement_.size());
  for (std::uint64_t at = first; at < last; ++at)
    out[at - offset] = replacement_[static_cast<std::size_t>(at - replaced_at_)];
}

void file_bytes::replace(std::uint64_t offset, std::string bytes) {
  replaced_at_ = offset;
  replacement_ = std::move(bytes);
}

}  // namespace papilio::audio_detail

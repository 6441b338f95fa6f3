#include "audio/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "audio/spool.hpp"
#include "base/named_descriptor.hpp"
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
  if (S_ISFIFO(mode))
    reason = "is a FIFO; sound is read from files, and from pipes as standard input";
  if (S_ISCHR(mode)) reason = "is a character device; sound is read from regular files only";
  if (S_ISBLK(mode)) reason = "is a block device; sound is read from regular files only";
  if (S_ISSOCK(mode)) reason = "is a socket; sound is read from regular files only";
  throw io_error(path.string(), reason);
}

}  // namespace

std::string display_name(const std::filesystem::path& path) {
  return path == "-" ? "standard input" : path.string();
}

namespace {

int duplicate(int descriptor, const std::string& name) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) refuse(name, errno);
  return copy;
}

}  // namespace

file_bytes::file_bytes(const std::filesystem::path& path) {
  const std::optional<int> named =
      path == "-" ? STDIN_FILENO : base_detail::named_descriptor(path.string());
  try {
    if (named) {
      take(*named, display_name(path));
    } else {
      open(path);
    }
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
}

// The kind is looked at before opening, since opening a device may act on it, and again after,
// since the name may by then mean another file; O_NONBLOCK keeps a FIFO from hanging in between.
void file_bytes::open(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) refuse(path, errno);
  check_kind(path, status.st_mode);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) refuse(path, errno);
  if (::fstat(descriptor_, &status) != 0) refuse(path, errno);
  check_kind(path, status.st_mode);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void file_bytes::take(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) refuse(name, errno);
  if (S_ISDIR(status.st_mode)) throw io_error(name, "is a directory");
  if (::isatty(descriptor) != 0)
    throw io_error(name, "is a terminal; sound comes from a file or a pipe");
  const bool regular = S_ISREG(status.st_mode);
  descriptor_ = regular ? duplicate(descriptor, name) : spool(descriptor, name);
  if (!regular && ::fstat(descriptor_, &status) != 0) refuse(name, errno);
  size_ = static_cast<std::uint64_t>(status.st_size);
  const off_t at = regular ? ::lseek(descriptor_, 0, SEEK_CUR) : 0;
  skip(static_cast<std::uint64_t>(std::max<off_t>(at, 0)));
}

void file_bytes::skip(std::uint64_t count) {
  count = std::min(count, size_);
  origin_ += count;
  size_ -= count;
}

file_bytes::~file_bytes() { ::close(descriptor_); }

std::size_t file_bytes::read(std::uint64_t offset, void* out, std::size_t count) noexcept {
  if (offset >= size_) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  char* const bytes = static_cast<char*>(out);
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(descriptor_, bytes + done, count - done,
                                static_cast<off_t>(origin_ + offset + done));
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

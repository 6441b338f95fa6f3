#include "audio/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

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

file_bytes::file_bytes(const std::filesystem::path& path) : name_(display_name(path)) {
  const std::optional<int> named =
      path == "-" ? STDIN_FILENO : base_detail::named_descriptor(path.string());
  try {
    if (named) {
      take(*named);
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
  path_ = path.string();
}

void file_bytes::take(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) refuse(name_, errno);
  if (S_ISDIR(status.st_mode)) throw io_error(name_, "is a directory");
  if (::isatty(descriptor) != 0)
    throw io_error(name_, "is a terminal; sound comes from a file or a pipe");
  if (!S_ISREG(status.st_mode)) {
    pipe_ = std::make_unique<pipe_bytes>(descriptor, name_);
    size_ = unknown_size;
    return;
  }
  descriptor_ = duplicate(descriptor, name_);
  const auto file_size = static_cast<std::uint64_t>(status.st_size);
  const off_t at = std::max<off_t>(::lseek(descriptor_, 0, SEEK_CUR), 0);
  origin_ = std::min(static_cast<std::uint64_t>(at), file_size);
  size_ = file_size - origin_;
}

std::uint64_t file_bytes::size() const { return pipe_ && pipe_->ended() ? pipe_->size() : size_; }

void file_bytes::finish() {
  if (!pipe_) return;
  descriptor_ = pipe_->finish();
  size_ = pipe_->size();
  pipe_.reset();
}

void file_bytes::become(int descriptor) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = descriptor;
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse(name_, errno);
  size_ = static_cast<std::uint64_t>(status.st_size);
  origin_ = 0;
  path_.clear();
}

void file_bytes::forget() {
  if (pipe_) pipe_->forget();
}

file_bytes::~file_bytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t file_bytes::read_file(std::uint64_t offset, char* out, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(descriptor_, out + done, count - done, static_cast<off_t>(origin_ + offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(name_, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t file_bytes::read(std::uint64_t offset, void* out, std::size_t count) noexcept {
  if (failure_ || offset >= size_ || (pipe_ && offset >= unknown_size / 2)) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  char* const bytes = static_cast<char*>(out);
  try {
    const std::size_t done =
        pipe_ ? pipe_->read(offset, bytes, count) : read_file(offset, bytes, count);
    apply_replacement(offset, bytes, done);
    return done;
  } catch (...) {
    failure_ = std::current_exception();
    return 0;
  }
}

void file_bytes::apply_replacement(std::uint64_t offset, char* out,
                                   std::size_t count) const noexcept {
  const std::uint64_t first = std::max(offset, replaced_at_);
  const std::uint64_t last = std::min(offset + count, replaced_at_ + replacement_.size());
  if (first < last)
    replacement_.copy(out + (first - offset), static_cast<std::size_t>(last - first),
                      static_cast<std::size_t>(first - replaced_at_));
}

void file_bytes::replace(std::uint64_t offset, std::string bytes) {
  replaced_at_ = offset;
  replacement_ = std::move(bytes);
}

}  // namespace papilio::audio_detail

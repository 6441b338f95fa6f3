#include "audio/pipe_bytes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::audio_detail {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;
constexpr std::size_t most_in_memory = std::size_t{1} << 24;
/// Bytes that decoders may go back by after forget(). Memory holds four times as many before the
/// oldest are dropped.
constexpr std::size_t window_bytes = std::size_t{1} << 20;

}  // namespace

spool_file::~spool_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int spool_file::release() { return std::exchange(descriptor_, -1); }

void spool_file::fail(int code) const {
  throw io_error(reader_, base_detail::message("cannot be kept in ", folder_.string(), ": ",
                                               std::generic_category().message(code)));
}

void spool_file::open() {
  std::error_code problem;
  folder_ = std::filesystem::temp_directory_path(problem);
  if (problem)
    throw io_error(reader_, "there is no folder for temporary files: " + problem.message());
  descriptor_ = ::open(folder_.c_str(), O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor_ >= 0) return;
  // Not every file system has files without a name.
  std::string pattern = folder_ / ".papilio-XXXXXX";
  descriptor_ = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
  ::unlink(pattern.c_str());
}

void spool_file::write(const char* data, std::size_t size_bytes) {
  while (size_bytes > 0) {
    const ssize_t written = ::write(descriptor_, data, size_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : EIO);
    data += written;
    size_bytes -= static_cast<std::size_t>(written);
  }
}

pipe_bytes::pipe_bytes(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), spool_(name_) {}

void pipe_bytes::spill() {
  spool_.open();
  spool_.write(memory_.data(), memory_.size());
  memory_ = {};
}

/// Reads one more block, and waits for it if need be.
void pipe_bytes::pull() {
  const std::size_t held = memory_.size();
  memory_.resize(held + block_bytes);
  ssize_t got = -1;
  while ((got = ::read(descriptor_, memory_.data() + held, block_bytes)) < 0) {
    if (errno == EAGAIN) {
      pollfd waiting{descriptor_, POLLIN, 0};
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      memory_.resize(held);
      throw io_error(name_, std::generic_category().message(errno));
    }
  }
  memory_.resize(held + static_cast<std::size_t>(got));
  end_ += static_cast<std::uint64_t>(got);
  ended_ = got == 0;
  if (spool_.is_open()) {
    spool_.write(memory_.data(), memory_.size());
    memory_.clear();
  } else if (keeps_ && memory_.size() > most_in_memory) {
    spill();
  }
}

std::size_t pipe_bytes::read(std::uint64_t offset, void* out, std::size_t count) {
  while (!ended_ && end_ < offset + count) {
    pull();
    if (keeps_ || spool_.is_open() || memory_.size() <= 4 * window_bytes) continue;
    // Bytes that are about to be copied stay, and a window before them.
    const std::uint64_t needed =
        std::min(end_, offset) - std::min(offset, std::uint64_t{window_bytes});
    if (needed <= begin_) continue;
    memory_.erase(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(needed - begin_));
    begin_ = needed;
  }
  if (offset >= end_) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, end_ - offset));
  if (!spool_.is_open()) {
    if (offset < begin_) throw io_error(name_, "what was read of it is no longer kept");
    std::memcpy(out, memory_.data() + (offset - begin_), count);
    return count;
  }
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(spool_.descriptor(), static_cast<char*>(out) + done, count - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw io_error(name_, std::generic_category().message(got < 0 ? errno : EIO));
    done += static_cast<std::size_t>(got);
  }
  return done;
}

int pipe_bytes::finish() {
  if (!spool_.is_open()) spill();
  while (!ended_) pull();
  return spool_.release();
}

}  // namespace papilio::audio_detail

#include "papilio/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/named_descriptor.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
constexpr int longest_link_chain = 40;

std::string reason_of(int code) { return std::generic_category().message(code); }

/// The name at the end of a chain of symbolic links; it need not exist.
std::filesystem::path follow_links(const std::filesystem::path& path) {
  std::filesystem::path end = path;
  std::error_code problem;
  struct stat status {};
  for (int link = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(end, problem));
       ++link) {
    if (link == longest_link_chain) throw io_error(path.string(), reason_of(ELOOP));
    if (::lstat(end.c_str(), &status) == 0 && status.st_uid != 0 && status.st_uid != ::geteuid())
      throw io_error(path.string(), "is a symbolic link of another user, which is not followed");
    const std::filesystem::path next = std::filesystem::read_symlink(end, problem);
    if (problem) throw io_error(path.string(), problem.message());
    end = end.parent_path() / next;
  }
  return end;
}

/// A name no other process or thread is likely to choose; O_EXCL settles the rest.
std::filesystem::path temporary_name(const std::filesystem::path& folder) {
  static std::atomic<unsigned> counter{0};
  const unsigned number = counter.fetch_add(1, std::memory_order_relaxed);
  return folder /
         fmt::format(".papilio-{}-{}-{:08x}.tmp", ::getpid(), number, std::random_device{}());
}

}  // namespace

struct atomic_file::state {
  explicit state(const std::filesystem::path& path);
  ~state() { discard(); }

  void find_origin();
  void open_temporary();
  bool take_free_name();
  void give_name();
  void flush();
  void write_through(const char* data, std::size_t size_bytes);
  void close();
  void appear();
  void discard() noexcept;
  [[noreturn]] void fail(int code);

  std::filesystem::path given;
  std::filesystem::path target;
  std::filesystem::path temporary;  // empty: none to remove
  bool nameless = false;            // open, but without a name until commit
  bool rewritable = true;
  std::uint64_t origin_bytes = 0;  // where the first byte goes
  std::optional<mode_t> kept_mode;
  int descriptor = -1;
  std::vector<char> buffer;
};

atomic_file::state::state(const std::filesystem::path& path) : given(path) {
  if (path.empty()) throw io_error("\"\"", "the output has no name");
  buffer.reserve(buffer_bytes);
  if (const std::optional<int> named = base_detail::named_descriptor(path.string())) {
    descriptor = ::fcntl(*named, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) fail(errno);
    find_origin();
    return;
  }
  target = follow_links(path);
  struct stat existing {};
  if (::stat(target.c_str(), &existing) == 0) {
    if (S_ISDIR(existing.st_mode)) fail(EISDIR);
    if (!S_ISREG(existing.st_mode)) {
      descriptor = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
      if (descriptor < 0) fail(errno);
      rewritable = false;
      return;
    }
    if (::access(target.c_str(), W_OK) != 0) fail(errno);
    kept_mode = existing.st_mode & mode_t{0777};
  } else if (errno != ENOENT) {
    fail(errno);
  }
  open_temporary();
}

// A regular file that somebody else opened is written from where it stands, unless it is appended
// to: then the system ignores where a write should go.
void atomic_file::state::find_origin() {
  struct stat status {};
  rewritable = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
               (::fcntl(descriptor, F_GETFL) & O_APPEND) == 0;
  const off_t at = rewritable ? ::lseek(descriptor, 0, SEEK_CUR) : 0;
  rewritable = rewritable && at >= 0;
  if (rewritable) origin_bytes = static_cast<std::uint64_t>(at);
}

void atomic_file::state::open_temporary() {
  if (!target.has_filename()) fail(target.empty() ? ENOENT : EISDIR);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  // A file without a name vanishes with the process, however that ends; not every file system has
  // it, and it gets its name through /proc.
  if (::access("/proc/self/fd", X_OK) == 0)
    descriptor = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  nameless = descriptor >= 0;
  while (!nameless) {
    temporary = temporary_name(target.parent_path());
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) break;
    const int code = errno;
    temporary.clear();
    if (code != EEXIST) fail(code);
  }
  if (kept_mode && ::fchmod(descriptor, *kept_mode) != 0) fail(errno);
}

// A name that nobody has needs no temporary beside it, not even for the moment before a rename.
bool atomic_file::state::take_free_name() {
  const std::string open_file = fmt::format("/proc/self/fd/{}", descriptor);
  if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, target.c_str(), AT_SYMLINK_FOLLOW) != 0)
    return false;
  temporary = target;  // until it is closed without an error
  return true;
}

void atomic_file::state::give_name() {
  const std::string open_file = fmt::format("/proc/self/fd/{}", descriptor);
  for (;;) {
    const std::filesystem::path name = temporary_name(target.parent_path());
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary = name;
      return;
    }
    if (errno != EEXIST) fail(errno);
  }
}

void atomic_file::state::write_through(const char* data, std::size_t size_bytes) {
  if (descriptor < 0) fail(EBADF);
  while (size_bytes > 0) {
    const ssize_t written = ::write(descriptor, data, size_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : EIO);
    data += written;
    size_bytes -= static_cast<std::size_t>(written);
  }
}

void atomic_file::state::flush() {
  write_through(buffer.data(), buffer.size());
  buffer.clear();
}

void atomic_file::state::close() {
  if (::close(std::exchange(descriptor, -1)) != 0) fail(errno);
}

void atomic_file::state::discard() noexcept {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
  if (!temporary.empty()) ::unlink(temporary.c_str());
  temporary.clear();
}

void atomic_file::state::fail(int code) {
  discard();
  throw io_error(given.string(), reason_of(code));
}

atomic_file::atomic_file(const std::filesystem::path& target)
    : state_(std::make_shared<state>(target)) {}
atomic_file::~atomic_file() = default;
atomic_file::atomic_file(atomic_file&&) noexcept = default;
atomic_file& atomic_file::operator=(atomic_file&&) noexcept = default;

const std::filesystem::path& atomic_file::path() const { return state_->given; }

bool atomic_file::is_rewritable() const { return state_->rewritable; }

void atomic_file::write(const void* data, std::size_t size_bytes) {
  const char* const bytes = static_cast<const char*>(data);
  std::vector<char>& buffer = state_->buffer;
  if (size_bytes > buffer_bytes - buffer.size()) state_->flush();
  if (size_bytes >= buffer_bytes) return state_->write_through(bytes, size_bytes);
  buffer.insert(buffer.end(), bytes, bytes + size_bytes);
}

void atomic_file::write_at(std::uint64_t offset_bytes, const void* data, std::size_t size_bytes) {
  state_->flush();
  if (!state_->rewritable) state_->fail(ESPIPE);
  offset_bytes += state_->origin_bytes;
  const char* bytes = static_cast<const char*>(data);
  while (size_bytes > 0) {
    const ssize_t written =
        ::pwrite(state_->descriptor, bytes, size_bytes, static_cast<off_t>(offset_bytes));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) state_->fail(written < 0 ? errno : EIO);
    bytes += written;
    offset_bytes += static_cast<std::uint64_t>(written);
    size_bytes -= static_cast<std::size_t>(written);
  }
}

void atomic_file::flush() { state_->flush(); }

void atomic_file::state::appear() {
  if (nameless && !take_free_name()) give_name();
  close();
  if (temporary == target) temporary.clear();
  if (temporary.empty()) return;
  if (::rename(temporary.c_str(), target.c_str()) != 0) fail(errno);
  temporary.clear();
}

namespace {

thread_local commit_group* innermost = nullptr;

}  // namespace

void atomic_file::commit() {
  state_->flush();
  if (innermost != nullptr)
    innermost->files_.push_back(state_);
  else
    state_->appear();
}

commit_group::commit_group() : outer_(std::exchange(innermost, this)) {}

commit_group::~commit_group() { innermost = outer_; }

void commit_group::finish() {
  std::string there;
  for (const auto& file : files_) {
    try {
      file->appear();
    } catch (const io_error& e) {
      if (there.empty()) throw;
      throw io_error(e.path(), std::string(e.what()).substr(e.path().size() + 2) +
                                   "; already written:" + there);
    }
    there.append(" ").append(file->given.string());
  }
  files_.clear();
}

}  // namespace papilio

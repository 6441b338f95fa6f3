#include "cli/batch_ledger.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* ledger_name = ".papilio-batch";
constexpr std::size_t longest_line = std::size_t{1} << 16;
constexpr std::size_t ledger_bytes_max = std::size_t{1} << 28;  // a million files

/// FNV-1a.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string size_and_time(const struct stat& status) {
  return fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/// Files that were made; empty where one is missing or is none of its own.
std::string stamp_of_made(const std::vector<fs::path>& made) {
  std::string all;
  for (const fs::path& path : made) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    all += "\t" + size_and_time(status);
  }
  return all;
}

/// The name as one word of a line.
std::string escaped(const std::string& name) {
  std::string word;
  for (const char c : name)
    word += c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\\' ? "\\\\" : std::string(1, c);
  return word;
}

std::string reason_of(int code) { return std::generic_category().message(code); }

}  // namespace

batch_ledger::stamp batch_ledger::stamp_of_input(const fs::path& input) {
  struct stat status {};
  if (::stat(input.c_str(), &status) != 0) return {};
  return fmt::format("{} {}", size_and_time(status), status.st_ino);
}

batch_ledger::batch_ledger(const fs::path& out, const std::string& settings,
                           const std::string& ending)
    : out_(out),
      own_(out / (ledger_name + ending)),
      settings_(fmt::format("{:016x}", hash_of(settings))) {
  descriptor_ = opened(own_, O_RDWR | O_APPEND | O_CREAT);
  if (descriptor_ >= 0) is_line_open_ = read(descriptor_);
  std::error_code failure;
  for (fs::directory_iterator at(out, failure), end; !failure && at != end; at.increment(failure)) {
    if (!at->path().filename().string().starts_with(ledger_name) || at->path() == own_) continue;
    const int other = opened(at->path(), O_RDONLY);
    if (other < 0) continue;
    read(other);
    ::close(other);
  }
}

// Without O_NONBLOCK a FIFO of this name would keep the caller waiting.
int batch_ledger::opened(const fs::path& ledger, int flags) {
  const int descriptor = ::open(ledger.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  struct stat status {};
  if (descriptor < 0) {
    warn_of(ledger, reason_of(errno));
  } else if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    warn_of(ledger, "is not a regular file");
    return -1;
  }
  return descriptor;
}

batch_ledger::~batch_ledger() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool batch_ledger::read(int descriptor) {
  std::array<char, 4096> block{};
  std::string line;
  std::size_t bytes = 0;
  for (ssize_t got = 0;
       bytes < ledger_bytes_max && (got = ::read(descriptor, block.data(), block.size())) > 0;) {
    bytes += static_cast<std::size_t>(got);
    for (const char c : std::string_view(block.data(), static_cast<std::size_t>(got))) {
      if (c != '\n') {
        // No name is that long: this is something else, however much of it there is.
        if ((line += c).size() > longest_line) return true;
        continue;
      }
      if (line.starts_with(settings_)) lines_.insert(line);
      line.clear();
    }
  }
  return !line.empty();
}

// Settings, input and what was made, by tabs, and behind the last one the name.
std::string batch_ledger::line_of(const stamp& input, const std::vector<fs::path>& made) const {
  const std::string now = stamp_of_made(made);
  if (now.empty() || input.empty()) return {};
  return settings_ + "\t" + input + now + "\t" +
         escaped(made.front().lexically_relative(out_).string());
}

bool batch_ledger::holds(const stamp& input, const std::vector<fs::path>& made) const {
  const std::string line = line_of(input, made);
  const std::lock_guard lock(mutex_);
  return lines_.count(line) > 0;
}

void batch_ledger::add(const stamp& input, const std::vector<fs::path>& made) {
  std::string line = line_of(input, made);
  const std::lock_guard lock(mutex_);
  if (line.empty() || descriptor_ < 0) return;
  line = (std::exchange(is_line_open_, false) ? "\n" : "") + line + "\n";
  if (::write(descriptor_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
  const int code = errno;
  is_line_open_ = true;
  warn_of(own_, reason_of(code));
}

void batch_ledger::warn_of(const fs::path& ledger, const std::string& reason) {
  if (!std::exchange(warned_, true))
    warn(fmt::format("{}: {}: --resume will make again what is made now", ledger.string(), reason));
}

}  // namespace papilio::cli

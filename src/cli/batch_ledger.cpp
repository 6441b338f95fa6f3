#include "cli/batch_ledger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* ledger_name = ".papilio-batch";

/// FNV-1a.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string size_and_time(const struct stat& status) {
  return fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/// Of files that were made; empty where one is missing or is none of its own.
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
  for (const char c : name) word += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return word;
}

}  // namespace

batch_ledger::stamp batch_ledger::stamp_of_input(const fs::path& input) {
  struct stat status {};
  if (::stat(input.c_str(), &status) != 0) return {};
  return fmt::format("{} {}", size_and_time(status), status.st_ino);
}

batch_ledger::batch_ledger(const fs::path& out, const std::string& settings)
    : out_(out), settings_(fmt::format("{:016x}", hash_of(settings))) {
  const fs::path path = out / ledger_name;
  // Lines are settings, input and what was made, by tabs, and behind the last one the name.
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line) && !file.eof();)
    if (const std::size_t name = line.rfind('\t'); name != std::string::npos)
      lines_[line.substr(name + 1)] = line.substr(0, name);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
}

batch_ledger::~batch_ledger() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool batch_ledger::holds(const stamp& input, const std::vector<fs::path>& made) const {
  const std::string now = stamp_of_made(made);
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(escaped(made.front().lexically_relative(out_).string()));
  return found != lines_.end() && !now.empty() && !input.empty() &&
         found->second == settings_ + "\t" + input + now;
}

void batch_ledger::add(const stamp& input, const std::vector<fs::path>& made) {
  const std::string name = escaped(made.front().lexically_relative(out_).string());
  const std::string entry = settings_ + "\t" + input + stamp_of_made(made);
  const std::string line = entry + "\t" + name + "\n";
  const std::lock_guard lock(mutex_);
  lines_[name] = entry;
  if (::write(descriptor_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
  if (!warned_)
    warn(fmt::format("{}: {}: --resume will make again what is made now",
                     (out_ / ledger_name).string(), std::generic_category().message(errno)));
  warned_ = true;
}

}  // namespace papilio::cli

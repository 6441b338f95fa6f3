#include "audio/ffmpeg_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

extern char** environ;

namespace papilio::audio_detail {
namespace {

constexpr std::size_t most_messages = std::size_t{1} << 16;

[[noreturn]] void fail(int code, const char* what) {
  throw std::system_error(code, std::generic_category(), what);
}

struct pipe_ends {
  int out = -1, in = -1;

  pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail(errno, "pipe");
    out = ends[0];
    in = ends[1];
  }
  ~pipe_ends() {
    for (const int end : {out, in})
      if (end >= 0) ::close(end);
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
};

struct file_actions {
  posix_spawn_file_actions_t actions;
  file_actions() { ::posix_spawn_file_actions_init(&actions); }
  ~file_actions() { ::posix_spawn_file_actions_destroy(&actions); }
  file_actions(const file_actions&) = delete;
  file_actions& operator=(const file_actions&) = delete;
};

/// The text of the first error. A message is "[error] TEXT" or "[CONTEXT @ ADDRESS] [error] TEXT".
std::string first_error(const std::string& messages, const std::vector<std::string>& ignored) {
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    std::string_view rest = line, context;
    for (std::size_t end = 0; rest.starts_with('[') && (end = rest.find("] ")) != rest.npos;) {
      const std::string_view word = rest.substr(1, end - 1);
      rest.remove_prefix(end + 2);
      const bool is_level = word == "error" || word == "fatal" || word == "panic";
      if (is_level && std::ranges::find(ignored, context) == ignored.end())
        return std::string(rest);
      if (is_level) break;
      context = word.substr(0, word.find(" @ "));
    }
  }
  return {};
}

bool is_on_path(const char* program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

bool ffmpeg_process::is_installed() { return is_on_path("ffmpeg") && is_on_path("ffprobe"); }

ffmpeg_process::ffmpeg_process(const char* program, const std::vector<std::string>& arguments,
                               int file) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pipe_ends output, messages;
  file_actions to;
  ::posix_spawn_file_actions_addopen(&to.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&to.actions, output.in, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&to.actions, messages.in, STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&to.actions, file, 3);
  if (const int code =
          ::posix_spawnp(&process_, program, &to.actions, nullptr, argv.data(), environ))
    fail(code, program);
  try {
    gatherer_ = std::thread([this, from = messages.out] { gather(from); });
  } catch (const std::system_error&) {
    end();
    throw;
  }
  messages.out = -1;
  output_ = std::exchange(output.out, -1);
}

ffmpeg_process::~ffmpeg_process() {
  if (output_ >= 0) ::close(output_);
  end();
  if (gatherer_.joinable()) gatherer_.join();
}

void ffmpeg_process::end() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void ffmpeg_process::gather(int from) {
  std::array<char, 4096> block{};
  std::string line;
  for (;;) {
    const ssize_t got = ::read(from, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    try {
      for (const char c : std::string_view(block.data(), static_cast<std::size_t>(got))) {
        if (line.size() < block.size()) line += c;
        if (c != '\n') continue;
        if (line.starts_with('[') && messages_.size() < most_messages) messages_ += line;
        is_complete_ = line == "progress=end\n";
        line.clear();
      }
    } catch (const std::bad_alloc&) {
      // The program must not wait for a reader: a message is lost.
      line.clear();
    }
  }
  ::close(from);
}

std::string ffmpeg_process::wait(const std::vector<std::string>& ignored) {
  int status = 0;
  // The program may be writing still.
  if (output_ >= 0) ::close(std::exchange(output_, -1));
  bool is_known = true;
  while (process_ > 0 && ::waitpid(process_, &status, 0) < 0 && (is_known = errno == EINTR))
    continue;
  process_ = -1;
  if (gatherer_.joinable()) gatherer_.join();
  if (std::string found = first_error(messages_, ignored); !found.empty()) return found;
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exit status " + std::to_string(WEXITSTATUS(status));
  // Where the caller ignores SIGCHLD, the system keeps no status.
  return is_known || is_complete_ ? "" : "ended before its work was done";
}

}  // namespace papilio::audio_detail

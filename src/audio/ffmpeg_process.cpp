#include "audio/ffmpeg_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
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

}  // namespace

bool ffmpeg_process::is_installed() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((std::filesystem::path(folder) / "ffmpeg").c_str(), X_OK) == 0) return true;
  return false;
}

ffmpeg_process::ffmpeg_process(const std::vector<std::string>& arguments, int file) {
  std::vector<std::string> words{"ffmpeg"};
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
          ::posix_spawnp(&process_, "ffmpeg", &to.actions, nullptr, argv.data(), environ))
    fail(code, "ffmpeg");
  output_ = std::exchange(output.out, -1);
  gatherer_ = std::thread([this, from = std::exchange(messages.out, -1)] { gather(from); });
}

ffmpeg_process::~ffmpeg_process() {
  if (output_ >= 0) ::close(output_);
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  gatherer_.join();
}

void ffmpeg_process::gather(int from) {
  std::array<char, 4096> block{};
  for (;;) {
    const ssize_t got = ::read(from, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    const std::lock_guard lock(mutex_);
    ended_ = got <= 0;
    if (got > 0 && messages_.size() < most_messages)
      messages_.append(block.data(), static_cast<std::size_t>(got));
    changed_.notify_all();
    if (ended_) break;
  }
  ::close(from);
}

std::string ffmpeg_process::message_behind(const std::string& word) {
  std::unique_lock lock(mutex_);
  std::size_t at = std::string::npos;
  changed_.wait(lock, [&] {
    at = messages_.find(word);
    return ended_ || (at != std::string::npos && messages_.find('\n', at) != std::string::npos);
  });
  if (at == std::string::npos) return {};
  at += word.size();
  return messages_.substr(at, messages_.find('\n', at) - at);
}

std::string ffmpeg_process::wait() {
  int status = 0;
  // It may be writing still.
  if (output_ >= 0) ::close(std::exchange(output_, -1));
  if (process_ > 0)
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  for (const char* const level : {"[fatal] ", "[error] "})
    if (std::string found = message_behind(level); !found.empty()) return found;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                             : "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace papilio::audio_detail

#include "support/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "support/sanitizer.hpp"

namespace papilio::test {
namespace {

constexpr uid_t nobody = 65534;

/// A pipe out of which `bytes` come; a process of its own, whose id is left in `giver`, gives them.
int give(const std::string& bytes, bool stays_open, pid_t& giver) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  giver = fork();
  if (giver < 0) throw std::runtime_error("fork failed");
  if (giver == 0) {
    close(ends[0]);
    signal(SIGPIPE, SIG_DFL);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t written = write(ends[1], bytes.data() + done, bytes.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    while (stays_open) pause();
    _exit(0);
  }
  close(ends[1]);
  return ends[0];
}

/// The ends of a pseudo-terminal, as those of a pipe.
void open_terminal(int (&ends)[2]) {
  ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends[0] < 0 || grantpt(ends[0]) != 0 || unlockpt(ends[0]) != 0)
    throw std::runtime_error("there is no pseudo-terminal");
  ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends[1] < 0) throw std::runtime_error("the pseudo-terminal cannot be opened");
}

[[noreturn]] void become(std::vector<char*>& arguments, const std::vector<char*>& environment,
                         const child_options& options, int in, int out, int err) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (options.terminal && (setsid() < 0 || ioctl(STDOUT_FILENO, TIOCSCTTY, 0) != 0)) _exit(126);
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(126);
  if (options.file_size_limit > 0) {
    const rlimit limit{options.file_size_limit, options.file_size_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (options.address_space_limit > 0) {
    const rlimit limit{options.address_space_limit, options.address_space_limit};
    setrlimit(RLIMIT_AS, &limit);
  }
  if (options.as_nobody && geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0))
    _exit(126);
  execve(arguments[0], arguments.data(), environment.data());
  _exit(127);
}

/// Answers what the child asks the terminal, and interrupts it, once each.
class partner {
 public:
  partner(const child_options& options, pid_t child, int terminal)
      : options_(options), child_(child), terminal_(terminal) {}

  void hear(const std::string& output) {
    if (options_.terminal && !has_answered_ && output.find("\033[c") != std::string::npos) {
      has_answered_ = true;
      const std::string& answer = options_.terminal->answer;
      if (write(terminal_, answer.data(), answer.size()) < 0)
        throw std::runtime_error("the terminal takes no answer");
    }
    if (!options_.interrupt_after.empty() && !has_interrupted_ &&
        output.find(options_.interrupt_after) != std::string::npos) {
      has_interrupted_ = true;
      kill(child_, SIGINT);
    }
  }

 private:
  const child_options& options_;
  pid_t child_;
  int terminal_;
  bool has_answered_ = false, has_interrupted_ = false;
};

// Reads both pipes until both are closed or the time is up; whether it was in time.
bool collect(int out, int err, child_result& result, partner& other, int timeout_seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_seconds);
  pollfd pipes[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* const texts[] = {&result.output, &result.errors};
  while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || poll(pipes, 2, static_cast<int>(left.count())) == 0) return false;
    for (int i = 0; i < 2; ++i) {
      if (pipes[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = read(pipes[i].fd, buffer, sizeof buffer);
      if (got > 0) {
        texts[i]->append(buffer, static_cast<std::size_t>(got));
        other.hear(result.output);
      } else {
        pipes[i].fd = -1;
      }
    }
  }
  return true;
}

/// Not the share of the caller's tests: a child that runs tests runs those it is told. Nor libraries that
/// are the caller's alone: programs of a sanitizers' build find theirs, and others are not watched.
std::vector<char*> environment_of_a_child() {
  static constexpr std::string_view own[] = {"GTEST_", "LD_PRELOAD=", "LD_LIBRARY_PATH="};
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::ranges::none_of(own, [&](std::string_view name) {
          return std::string_view(*variable).starts_with(name);
        }))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

}  // namespace

child_result run_child(const std::vector<std::string>& command, const child_options& options) {
  // First, so that what gives the input holds no end of the output.
  pid_t giver = -1;
  const char* const input_file =
      options.input_file.empty() ? "/dev/null" : options.input_file.c_str();
  const int in = options.input ? give(*options.input, options.input_stays_open, giver)
                               : open(input_file, O_RDONLY | O_CLOEXEC);
  int out[2], err[2];
  if (options.terminal) {
    open_terminal(out);
    const terminal_options& of = *options.terminal;
    const winsize size{of.rows, of.columns, of.pixel_width, of.pixel_height};
    ioctl(out[1], TIOCSWINSZ, &size);
  } else if (pipe2(out, O_CLOEXEC) != 0) {
    throw std::runtime_error("pipe failed");
  }
  if (options.errors_on_terminal)
    open_terminal(err);
  else if (pipe2(err, O_CLOEXEC) != 0)
    throw std::runtime_error("pipe failed");
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::vector<char*> environment = environment_of_a_child();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(arguments, environment, options, in, out[1], err[1]);
  close(in);
  close(out[1]);
  close(err[1]);
  child_result result;
  partner other(options, child, out[0]);
  result.timed_out = !collect(out[0], err[0], result, other, options.timeout_seconds);
  if (result.timed_out) kill(child, SIGKILL);
  close(out[0]);
  close(err[0]);
  int status = 0;
  if (giver > 0 && options.input_stays_open) kill(giver, SIGKILL);
  if (giver > 0) waitpid(giver, &status, 0);
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (!runs_under_a_sanitizer()) result.peak_kilobytes = usage.ru_maxrss;
  return result;
}

}  // namespace papilio::test

#include "asked_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace papilio::bench {

asked_process::asked_process(const std::vector<std::string>& command) {
  std::signal(SIGPIPE, SIG_IGN);
  // Not for the other processes that are asked: an end of theirs is seen when all ends are closed.
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
}

asked_process::~asked_process() { stop(); }

void asked_process::stop() {
  if (to_ != nullptr) std::fclose(to_);
  if (from_ != nullptr) std::fclose(from_);
  to_ = from_ = nullptr;
  if (process_ > 0) waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::string asked_process::answer() {
  std::array<char, 256> line;
  if (from_ == nullptr || std::fgets(line.data(), line.size(), from_) == nullptr) return "";
  std::string text = line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string asked_process::ask(const std::string& line) {
  if (to_ == nullptr) return "";
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
  std::string text = answer();
  if (text.empty()) stop();
  return text;
}

}  // namespace papilio::bench

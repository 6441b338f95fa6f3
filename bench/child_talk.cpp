#include "child_talk.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace papilio::bench {

child_talk::child_talk(const std::vector<std::string>& command) {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) std::abort();
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
}

child_talk::~child_talk() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

std::string child_talk::ask(const std::string& line) {
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
  char answer[256];
  if (std::fgets(answer, sizeof answer, from_) == nullptr) return "";
  std::string text = answer;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace papilio::bench

#include "python_peer.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace papilio::bench {

python_peer::python_peer(const char* script, int threads) {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) return;
  const char* const named = std::getenv("PAPILIO_BENCH_PYTHON");
  const char* const python = named != nullptr ? named : "python3";
  const std::string count = std::to_string(threads);
  process_ = fork();
  if (process_ == 0) {
    setenv("OPENBLAS_NUM_THREADS", count.c_str(), 1);
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
    execlp(python, python, script, count.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
  if (answer() == "ready") return;
  std::fprintf(stderr, "%s has no numpy: only our times are shown\n", python);
  stop();
}

python_peer::~python_peer() { stop(); }

void python_peer::stop() {
  if (to_ != nullptr) std::fclose(to_);
  if (from_ != nullptr) std::fclose(from_);
  to_ = from_ = nullptr;
  if (process_ > 0) waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::string python_peer::answer() {
  std::array<char, 256> line;
  if (std::fgets(line.data(), line.size(), from_) == nullptr) return "";
  std::string text = line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string python_peer::ask(const std::string& line) {
  if (to_ == nullptr) return "";
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
  std::string text = answer();
  if (text.empty()) stop();
  return text;
}

}  // namespace papilio::bench

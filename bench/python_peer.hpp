#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>

namespace papilio::bench {

/// A Python script that says "ready" and then answers each line written to it with one line.
class python_peer {
 public:
  /// Started by PAPILIO_BENCH_PYTHON, or python3, and told how many threads it may use, as its
  /// argument and for OpenBLAS.
  python_peer(const char* script, int threads);
  ~python_peer();
  python_peer(const python_peer&) = delete;
  python_peer& operator=(const python_peer&) = delete;

  /// Whether it is there; else that was said on stderr.
  bool is_there() const { return to_ != nullptr; }
  /// Its answer, "" where it is not there or has ended.
  std::string ask(const std::string& line);

 private:
  std::string answer();
  void stop();

  pid_t process_ = -1;
  std::FILE *to_ = nullptr, *from_ = nullptr;
};

}  // namespace papilio::bench

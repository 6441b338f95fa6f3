#pragma once

#include <string>

#include "asked_process.hpp"

namespace papilio::bench {

/// A Python script that says "ready" and then answers each line written to it with one line.
class python_peer {
 public:
  /// Started by PAPILIO_BENCH_PYTHON, or python3, and told how many threads it may use, as its
  /// argument and for OpenBLAS.
  python_peer(const char* script, int threads);

  /// Whether it is there; else that was said on stderr.
  bool is_there() const { return process_.is_there(); }
  /// Its answer, "" where it is not there or has ended.
  std::string ask(const std::string& line) { return process_.ask(line); }

 private:
  asked_process process_;
};

}  // namespace papilio::bench

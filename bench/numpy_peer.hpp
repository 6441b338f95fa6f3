#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>

namespace papilio::bench {

/// A Python that has numpy, on one thread, to which cases are given one by one. What it runs is in
/// numpy_peer.cpp.
class numpy_peer {
 public:
  /// PAPILIO_BENCH_PYTHON, or python3.
  numpy_peer();
  ~numpy_peer();
  numpy_peer(const numpy_peer&) = delete;
  numpy_peer& operator=(const numpy_peer&) = delete;

  /// Whether it is there; else the reason was said on stderr.
  bool is_there() const { return to_ != nullptr; }
  /// CPU seconds of one call of "cp 16 8", "tucker 100 10", "tt 100 10"; NAN where it fails.
  double seconds(const std::string& task, int calls);

 private:
  void stop();
  pid_t child_ = -1;
  std::FILE *to_ = nullptr, *from_ = nullptr;
};

}  // namespace papilio::bench

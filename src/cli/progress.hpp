#pragma once

#include <cstdint>
#include <string>

namespace papilio::cli {

/// Progress bar on stderr while it is a terminal, and nothing at all elsewhere. Erased when done.
class progress {
 public:
  progress(std::string label, std::uint64_t total);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void update(std::uint64_t done);

 private:
  std::string label_;
  std::uint64_t total_;
  bool visible_;
  int shown_percent_ = -1;
};

}  // namespace papilio::cli

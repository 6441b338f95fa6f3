#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace papilio::cli {

/// How far many files are, as one line on stderr while that is a terminal, with the time that is
/// left; and messages above that line, wherever stderr goes. For use by many threads at once.
class batch_progress {
 public:
  batch_progress(std::size_t files, std::uint64_t bytes);
  ~batch_progress();
  batch_progress(const batch_progress&) = delete;
  batch_progress& operator=(const batch_progress&) = delete;

  /// So many more bytes of files are done; modulo 2^64, so that less is possible.
  void add_bytes(std::uint64_t bytes) { done_bytes_ += bytes; }
  /// So many bytes need no work.
  void drop_bytes(std::uint64_t bytes) { total_bytes_ -= bytes; }
  void finish_file(bool failed);

  /// "papilio: TEXT" on a line of its own.
  void message(const std::string& text);
  void draw();

 private:
  std::string line(double elapsed_seconds) const;
  void erase();

  const bool visible_;
  const std::size_t files_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> done_bytes_{0}, total_bytes_;
  std::atomic<std::size_t> done_files_{0}, failed_files_{0};
  std::mutex mutex_;
  bool drawn_ = false;
};

}  // namespace papilio::cli

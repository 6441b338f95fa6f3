#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace papilio::cli {

/// More steps than there are: nobody knows how many.
inline constexpr std::uint64_t unlimited_steps = std::uint64_t{1} << 62;

/// How far work is, as one line on stderr while that is a terminal: a bar, the time that is left,
/// and of files how many are done and how fast they are read. Nothing at all elsewhere, but for
/// messages. For use by many threads at once.
class progress {
 public:
  /// Counts steps up to `total`.
  progress(const std::string& label, std::uint64_t total);
  /// Counts files, and the bytes of all of them.
  progress(std::size_t files, std::uint64_t bytes);
  ~progress() { erase(); }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// So many steps are done.
  void update(std::uint64_t done);

  /// One file's share of the bytes, whichever way its work is counted.
  class share {
   public:
    share(progress& of, std::uint64_t bytes) : of_(of), bytes_(bytes) {}
    void update(std::uint64_t done, std::uint64_t total);
    void finish(bool failed);

   private:
    void move_to(std::uint64_t told);

    progress& of_;
    std::uint64_t bytes_, told_ = 0;
  };
  /// Sets the text before the bar: the file that is worked on.
  void name(const std::string& label);
  /// "papilio: TEXT" on a line of its own.
  void message(const std::string& text);
  /// Takes the line away until the next step.
  void erase();

 private:
  /// Where a tenth of a second is over since it was last drawn.
  void draw();
  std::string line(double elapsed_seconds) const;

  using clock = std::chrono::steady_clock;
  const bool visible_;
  const std::size_t files_ = 0;
  const clock::time_point begin_ = clock::now();
  const std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0}, unbounded_{0};
  std::atomic<std::size_t> done_files_{0}, failed_files_{0};
  std::mutex mutex_;
  std::string label_;
  clock::time_point next_ = begin_;
  bool drawn_ = false;
};

}  // namespace papilio::cli

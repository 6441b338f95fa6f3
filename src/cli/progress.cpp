#include "cli/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// As much of the line as one of the terminal's holds: what wraps cannot be erased.
std::string_view fitting(std::string_view line) {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? first_columns(line, size.ws_col - 1u) : line;
}

/// On stderr, as it is.
void show_on_terminal(const std::string& text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

progress::progress(const std::string& label, std::uint64_t total)
    : visible_(isatty(STDERR_FILENO) == 1), total_(total), label_(printable(label)) {}

progress::progress(std::size_t files, std::uint64_t bytes)
    : visible_(isatty(STDERR_FILENO) == 1), files_(files), total_(bytes) {}

void progress::update(std::uint64_t done) {
  done_ = done;
  draw();
}

void progress::share::update(std::uint64_t done, std::uint64_t total) {
  if (total >= unlimited_steps) {
    of_.unbounded_ = done;
    return of_.draw();
  }
  of_.unbounded_ = 0;
  const double part =
      static_cast<double>(done) / static_cast<double>(std::max({total, done, std::uint64_t{1}}));
  move_to(static_cast<std::uint64_t>(part * static_cast<double>(bytes_)));
}

void progress::share::finish(bool failed) {
  ++of_.done_files_;
  if (failed) ++of_.failed_files_;
  of_.unbounded_ = 0;
  move_to(bytes_);
}

// Modulo 2^64, so that a second pass may begin at nothing again.
void progress::share::move_to(std::uint64_t told) {
  of_.done_ += told - told_;
  told_ = told;
  of_.draw();
}

void progress::name(const std::string& label) {
  const std::lock_guard lock(mutex_);
  label_ = printable(label);
}

void progress::message(const std::string& text) {
  erase();
  complain(text);
}

void progress::erase() {
  const std::lock_guard lock(mutex_);
  if (drawn_) show_on_terminal("\r\033[K");
  drawn_ = false;
}

void progress::draw() {
  if (!visible_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  const clock::time_point now = clock::now();
  if (!lock || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const std::chrono::duration<double> elapsed = now - begin_;
  show_on_terminal("\r\033[K" + std::string(fitting(line(elapsed.count()))));
  drawn_ = true;
}

std::string progress::line(double elapsed_seconds) const {
  const std::string before = label_.empty() ? "" : label_ + " ";
  if (unbounded_ > 0) return before + counted(unbounded_, "frame");
  constexpr std::size_t width = 30;
  const auto done = static_cast<double>(done_.load());
  const double share =
      std::clamp(done / static_cast<double>(std::max<std::uint64_t>(total_, 1)), 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * width);
  std::string text = fmt::format("{}[{}{}] {:3}%", before, std::string(filled, '#'),
                                 std::string(width - filled, '.'), static_cast<int>(share * 100));
  if (files_ > 1) text += fmt::format("  {} of {} files", done_files_.load(), files_);
  if (failed_files_ > 0) text += fmt::format(", {} failed", failed_files_.load());
  // The first second tells little.
  if (share <= 0 || elapsed_seconds <= 1) return text;
  text += fmt::format(", {} left", clock_text(elapsed_seconds * (1 - share) / share));
  if (files_ > 0) text += fmt::format(", {:.1f} MB/s", done / elapsed_seconds / 1e6);
  return text;
}

}  // namespace papilio::cli

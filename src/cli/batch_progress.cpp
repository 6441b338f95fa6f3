#include "cli/batch_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

batch_progress::batch_progress(std::size_t files, std::uint64_t bytes)
    : visible_(isatty(STDERR_FILENO) == 1), files_(files), total_bytes_(bytes) {}

batch_progress::~batch_progress() { erase(); }

void batch_progress::finish_file(bool failed) {
  ++done_files_;
  if (failed) ++failed_files_;
}

void batch_progress::message(const std::string& text) {
  const std::lock_guard lock(mutex_);
  erase();
  complain(text);
}

void batch_progress::draw() {
  if (!visible_) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  const std::lock_guard lock(mutex_);
  show_on_terminal(fmt::format("\r\033[K{}", line(elapsed.count())));
  drawn_ = true;
}

std::string batch_progress::line(double elapsed_seconds) const {
  constexpr std::size_t width = 30;
  const double total = static_cast<double>(std::max<std::uint64_t>(total_bytes_, 1));
  const double share = std::clamp(static_cast<double>(done_bytes_.load()) / total, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * width);
  std::string text = fmt::format("[{}{}] {:3}%  {} of {}", std::string(filled, '#'),
                                 std::string(width - filled, '.'), static_cast<int>(share * 100),
                                 done_files_.load(), counted(files_, "file"));
  if (failed_files_ > 0) text += fmt::format(", {} failed", failed_files_.load());
  // The first second tells little.
  if (share > 0 && elapsed_seconds > 1)
    text += fmt::format(", {} left", clock_text(elapsed_seconds * (1 - share) / share));
  return text;
}

void batch_progress::erase() {
  if (drawn_) show_on_terminal("\r\033[K");
  drawn_ = false;
}

}  // namespace papilio::cli

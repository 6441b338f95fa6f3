#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/common.hpp"
#include "cli/excerpt.hpp"

namespace papilio::cli {
namespace {

/// Frames from one number to the next, where there is no percentage.
constexpr std::uint64_t shown_step = std::uint64_t{1} << 18;

}  // namespace

progress::progress(std::string label, std::uint64_t total)
    : label_(printable(label)),
      total_(std::max<std::uint64_t>(total, 1)),
      visible_(isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  if (visible_ && shown_percent_ >= 0) show_on_terminal("\r\033[K");
}

void progress::update(std::uint64_t done) {
  if (!visible_) return;
  if (total_ >= unlimited_frames) {
    if (done / shown_step == static_cast<std::uint64_t>(shown_percent_)) return;
    shown_percent_ = static_cast<int>(done / shown_step);
    show_on_terminal(fmt::format("\r\033[K{}: {}", label_, counted(done, "frame")));
    return;
  }
  const int percent = static_cast<int>(std::min(done, total_) * 100 / total_);
  if (percent == shown_percent_) return;
  shown_percent_ = percent;
  constexpr int width = 30;
  const auto filled = static_cast<std::size_t>(percent * width / 100);
  show_on_terminal(fmt::format("\r\033[K{} [{}{}] {:3}%", label_, std::string(filled, '#'),
                               std::string(width - filled, '.'), percent));
}

}  // namespace papilio::cli

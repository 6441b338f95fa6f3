#include "render/time_overlay.hpp"

#include <algorithm>
#include <cmath>

namespace papilio::render_detail {
namespace {

/// Pixels between lines, in widths of a line, below which they are short.
constexpr double least_distance = 6;

/// The line at a share of the panel's time, which runs to the right or, of a waterfall, downwards.
plot_extent line_at(double place, const plot_extent& panel, std::size_t thick, std::size_t length,
                    bool waterfall) {
  const std::size_t side = waterfall ? panel.height : panel.width;
  const double begin =
      std::round(place * static_cast<double>(side) - 0.5 * static_cast<double>(thick));
  const auto at = static_cast<std::size_t>(
      std::clamp(begin, 0.0, static_cast<double>(side - std::min(side, thick))));
  return waterfall ? plot_extent{panel.left, panel.top + at, length, thick}
                   : plot_extent{panel.left + at, panel.top, thick, length};
}

}  // namespace

void add_marked_times(const spectrogram_layout& l, const spectrogram_picture& picture,
                      frequency_overlay& overlay) {
  const auto thick = static_cast<std::size_t>(l.line);
  std::vector<double> places;
  for (const double seconds : picture.marked_seconds) {
    const double place = (seconds - picture.start_seconds) / picture.duration_seconds;
    if (place >= 0 && place <= 1) places.push_back(place);
  }
  for (const plot_extent& panel : l.panels) {
    const std::size_t along = picture.waterfall ? panel.height : panel.width,
                      across = picture.waterfall ? panel.width : panel.height;
    const double distance =
        static_cast<double>(along) / static_cast<double>(std::max<std::size_t>(places.size(), 1));
    const bool is_dense = distance < least_distance * static_cast<double>(thick);
    const std::size_t length = is_dense ? std::max<std::size_t>(1, across / 16) : across;
    for (const double place : places)
      overlay.lines.push_back(line_at(place, panel, thick, length, picture.waterfall));
  }
}

}  // namespace papilio::render_detail

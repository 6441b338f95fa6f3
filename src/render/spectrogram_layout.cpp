#include "render/spectrogram_layout.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"

namespace papilio {
namespace render_detail {

void require_side(const char* function, const char* argument, std::size_t value,
                  std::size_t least) {
  if (value < least || value > maximum_picture_side)
    throw invalid_argument(base_detail::message(function, ": ", argument, " must be ", least,
                                                " to ", maximum_picture_side, " pixels, not ",
                                                value));
}

int em_of(double width, double height) {
  const double wished = 8 + 0.0085 * std::sqrt(width * height);
  return static_cast<int>(std::round(std::clamp(wished, 10.0, std::min(width / 30, height / 20))));
}

namespace {

int share(double ems, int em) { return static_cast<int>(std::lround(ems * em)); }

}  // namespace

spectrogram_layout lay_out_spectrogram(const char* function, std::size_t width,
                                       std::size_t height) {
  require_side(function, "width", width, minimum_picture_width);
  require_side(function, "height", height, minimum_picture_height);
  spectrogram_layout l{};
  l.width = width;
  l.height = height;
  const int em = l.em = em_of(static_cast<double>(width), static_cast<double>(height));
  l.line = std::max(1, share(1.0 / 14, em));
  l.tick = share(0.4, em);
  l.minor_tick = share(0.22, em);
  l.pad = share(0.6, em);
  l.label_gap = share(0.3, em);
  l.side_label_width = share(2.8, em);
  l.side_title_gap = share(0.4, em);
  l.descent = share(0.24, em);
  l.title_size = 1.2 * em;
  const int beside_axis = l.line + l.tick + l.label_gap;
  const int side = beside_axis + l.side_label_width + l.side_title_gap + em + l.pad;
  const int top = l.pad + share(1.95, em);
  const int bottom = beside_axis + share(0.8, em) + share(0.5, em) + em + l.pad;
  const int bar = share(1.1, em), bar_gap = share(1.0, em);

  l.plot.left = static_cast<std::size_t>(side);
  l.plot.top = static_cast<std::size_t>(top);
  l.plot.width = width - static_cast<std::size_t>(2 * side + bar_gap + bar);
  l.plot.height = height - static_cast<std::size_t>(top + bottom);
  l.bar_left = l.plot_right() + static_cast<std::size_t>(bar_gap);
  l.bar_width = static_cast<std::size_t>(bar);
  l.title_baseline = l.pad + share(0.95, em);
  l.time_label_baseline = static_cast<double>(l.plot_bottom()) + beside_axis + share(0.75, em);
  l.time_title_baseline = static_cast<double>(height) - l.pad - l.descent;
  return l;
}

}  // namespace render_detail

plot_extent spectrogram_plot_extent(std::size_t width, std::size_t height) {
  return render_detail::lay_out_spectrogram("spectrogram_plot_extent", width, height).plot;
}

}  // namespace papilio

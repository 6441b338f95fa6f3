#include "render/frequency_overlay.hpp"

#include <algorithm>
#include <cmath>

#include "render/time_overlay.hpp"

namespace papilio::render_detail {
namespace {

bool overlap(const plot_extent& a, const plot_extent& b) {
  return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height &&
         b.top < a.top + a.height;
}

/// `from` to `to` less `length`, centred on `middle` where that lies within.
std::size_t beginning(double middle, std::size_t length, std::size_t from, std::size_t to) {
  const auto last = static_cast<double>(to - length);
  return static_cast<std::size_t>(std::clamp(std::round(middle - 0.5 * static_cast<double>(length)),
                                             static_cast<double>(from),
                                             std::max(static_cast<double>(from), last)));
}

/// Names of one panel: at its right edge, or of a waterfall at its upper one, and further inside
/// where another is in the way; those that find no room are left out.
void add_panel(const text_ruler& ruler, const spectrogram_layout& l,
               const spectrogram_picture& picture, const plot_extent& panel,
               frequency_overlay& overlay) {
  const frequency_axis axis{picture.scale, picture.low_hz, picture.high_hz};
  const auto thick = static_cast<std::size_t>(l.line);
  const auto inside = static_cast<std::size_t>(share(0.35, l.em));
  const auto height = static_cast<std::size_t>(share(1.3, l.em));
  const std::size_t right = panel.left + panel.width, bottom = panel.top + panel.height;
  const std::size_t first_box = overlay.boxes.size();
  for (const frequency_mark& mark : picture.marks) {
    if (!(mark.hz >= axis.low_hz && mark.hz <= axis.high_hz)) continue;
    const double place = axis.place(mark.hz);
    const double x = static_cast<double>(panel.left) + place * static_cast<double>(panel.width);
    const double y = static_cast<double>(bottom) - place * static_cast<double>(panel.height);
    overlay.lines.push_back(
        picture.waterfall
            ? plot_extent{beginning(x, thick, panel.left, right), panel.top, thick, panel.height}
            : plot_extent{panel.left, beginning(y, thick, panel.top, bottom), panel.width, thick});
    const double text_width = ruler.text_width(mark.name, overlay.text_size);
    const std::size_t width = static_cast<std::size_t>(std::ceil(text_width)) + 2 * inside;
    if (mark.name.empty() || width + 2 * inside > panel.width || height > panel.height) continue;
    plot_extent where{right - inside - width, panel.top + inside, width, height};
    if (picture.waterfall)
      where.left = beginning(x, width, panel.left, right);
    else
      where.top = beginning(y, height, panel.top, bottom);
    bool fits = true;
    for (std::size_t b = first_box; fits && b < overlay.boxes.size(); ++b) {
      const plot_extent& other = overlay.boxes[b].where;
      if (!overlap(where, other)) continue;
      if (picture.waterfall) {
        where.top = other.top + other.height + thick;
        fits = where.top + height <= bottom;
      } else {
        fits = other.left >= panel.left + width + thick;
        if (fits) where.left = other.left - width - thick;
      }
      b = first_box - 1;  // those before may now be in the way
    }
    if (!fits) continue;
    overlay.boxes.push_back(
        {where,
         mark.name,
         {static_cast<double>(where.left + inside),
          static_cast<double>(where.top) + 0.5 * static_cast<double>(height) + 0.36 * l.em}});
  }
}

/// The pixels from `low` to `high`, `more` further on both sides, within `first` and `last`.
struct pixel_range {
  std::size_t first, size;
  pixel_range(double low, double high, double more, std::size_t begin, std::size_t end)
      : first(static_cast<std::size_t>(std::clamp(
            std::round(low - more), static_cast<double>(begin), static_cast<double>(end - 1)))),
        size(static_cast<std::size_t>(std::clamp(std::round(high + more),
                                                 static_cast<double>(first + 1),
                                                 static_cast<double>(end))) -
             first) {}
};

/// The curve of one panel: for each pixel of time what it covers from the one before on.
void add_curve(const spectrogram_layout& l, const spectrogram_picture& picture,
               const plot_extent& panel, frequency_overlay& overlay) {
  if (picture.curve_hz.empty()) return;
  constexpr double longest_step = 1.3;
  const frequency_axis axis{picture.scale, picture.low_hz, picture.high_hz};
  const std::size_t right = panel.left + panel.width, bottom = panel.top + panel.height;
  const std::size_t pixels = picture.waterfall ? panel.height : panel.width;
  const double thick = l.line, columns = static_cast<double>(picture.curve_hz.size());
  double before_hz = 0, before = 0;
  for (std::size_t t = 0; t < pixels; ++t) {
    const double share_of_time = (static_cast<double>(t) + 0.5) / static_cast<double>(pixels);
    const double hz = picture.curve_hz[static_cast<std::size_t>(share_of_time * columns)];
    if (!(hz >= axis.low_hz && hz <= axis.high_hz)) {
      before_hz = 0;
      continue;
    }
    const double place = axis.place(hz);
    const double at =
        picture.waterfall
            ? static_cast<double>(panel.left) + place * static_cast<double>(panel.width)
            : static_cast<double>(bottom) - place * static_cast<double>(panel.height);
    if (!(hz < longest_step * before_hz && before_hz < longest_step * hz)) before = at;
    const double low = std::min(before, at), high = std::max(before, at);
    before_hz = hz;
    before = at;
    const double time = static_cast<double>((picture.waterfall ? panel.top : panel.left) + t);
    const auto add = [&](std::vector<plot_extent>& to, double more_across, double more_along) {
      if (picture.waterfall) {
        const pixel_range x(low, high, more_across, panel.left, right),
            y(time, time + 1, more_along, panel.top, bottom);
        to.push_back({x.first, y.first, x.size, y.size});
      } else {
        const pixel_range x(time, time + 1, more_along, panel.left, right),
            y(low, high, more_across, panel.top, bottom);
        to.push_back({x.first, y.first, x.size, y.size});
      }
    };
    add(overlay.curve, thick, 0);
    add(overlay.edges, 2 * thick, thick);
  }
}

}  // namespace

frequency_overlay overlay_of(const text_ruler& ruler, const spectrogram_layout& l,
                             const spectrogram_picture& picture) {
  const auto thick = static_cast<std::size_t>(l.line);
  frequency_overlay overlay{{}, {}, {}, {}, 2 * thick, 5 * thick, 0.95 * l.em};
  for (const plot_extent& panel : l.panels) {
    add_panel(ruler, l, picture, panel, overlay);
    add_curve(l, picture, panel, overlay);
  }
  add_marked_times(l, picture, overlay);
  return overlay;
}

}  // namespace papilio::render_detail

#include "render/spectrogram_layout.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"
#include "render/theme.hpp"

namespace papilio {
namespace render_detail {

void require_side(const char* function, const char* argument, std::size_t value,
                  std::size_t least) {
  if (value < least || value > maximum_picture_side)
    throw invalid_argument(base_detail::message(function, ": ", argument, " must be ", least,
                                                " to ", maximum_picture_side, " pixels, not ",
                                                value));
}

int share(double ems, int em) { return static_cast<int>(std::lround(ems * em)); }

int em_of(double width, double height, double scale) {
  const double wished = 8 * scale + 0.0085 * std::sqrt(width * height);
  const double most = std::min(width / 30, height / 20);
  return static_cast<int>(std::round(std::min(std::max(wished, 10 * scale), most)));
}

namespace {

constexpr std::size_t least_panel_side = 40;  // pixels

/// Takes the strip's place from the plot.
void add_strip(const char* function, spectrogram_layout& l, const spectrogram_picture& picture) {
  if (picture.waterfall || picture.arrangement == panel_arrangement::side_by_side)
    throw invalid_argument(base_detail::message(
        function, ": strip must be none in a waterfall or under panels side by side"));
  const auto height = static_cast<std::size_t>(share(3.6, l.em));
  const auto gap = static_cast<std::size_t>(share(1.1, l.em));
  l.strip = plot_extent{l.plot.left, l.plot_bottom() - height, l.plot.width, height};
  l.plot.height -= height + gap;
}

/// Divides the plot's width among the panels, with room for their names above and for labels of the
/// axes' ends between them; pixels that are left over go to the margin at the right.
void divide_width(const char* function, spectrogram_layout& l, std::size_t panels) {
  const auto gap = static_cast<std::size_t>(share(2.6, l.em));
  const std::size_t name = panels > 1 ? static_cast<std::size_t>(share(1.7, l.em)) : 0;
  const std::size_t all = l.plot.width + gap, each = all / panels;
  if (each < gap + least_panel_side || l.plot.height < name + least_panel_side)
    throw invalid_argument(base_detail::message(function, ": panels must fit a width of ", l.width,
                                                " with ", least_panel_side, " pixels each, not ",
                                                panels));
  l.plot.top += name;
  l.plot.height -= name;
  for (std::size_t p = 0; p < panels; ++p)
    l.panels.push_back({l.plot.left + p * each, l.plot.top, each - gap, l.plot.height});
  l.plot.width = panels * each - gap;
}

/// Divides the plot's height among the panels, with room for a name above each where there are
/// several; pixels that are left over go to the margin above.
void divide_height(const char* function, spectrogram_layout& l, std::size_t panels) {
  const std::size_t name = panels > 1 ? static_cast<std::size_t>(share(1.7, l.em)) : 0;
  const std::size_t each = panels == 0 ? 0 : l.plot.height / panels;
  if (each < name + least_panel_side)
    throw invalid_argument(base_detail::message(
        function, ": panels must be at least 1 and fit a height of ", l.height, " with ",
        least_panel_side, " pixels each and their names, not ", panels));
  const std::size_t bottom = l.plot_bottom();
  for (std::size_t p = 0; p < panels; ++p)
    l.panels.push_back(
        {l.plot.left, bottom - (panels - p) * each + name, l.plot.width, each - name});
  l.plot.top = l.panels.front().top;
  l.plot.height = bottom - l.plot.top;
}

}  // namespace

double spectrogram_layout::name_baseline(const plot_extent& panel) const {
  return static_cast<double>(panel.top) - line - descent - 0.15 * em;
}

spectrogram_layout lay_out_panels(const char* function, const spectrogram_picture& picture,
                                  std::size_t panels) {
  const std::size_t width = picture.width, height = picture.height;
  require_side(function, "width", width, minimum_picture_width);
  require_side(function, "height", height, minimum_picture_height);
  spectrogram_layout l{};
  l.width = width;
  l.height = height;
  const int em = l.em = em_of(static_cast<double>(width), static_cast<double>(height),
                              pixel_scale(picture.dpi, function));
  l.line = std::max(1, share(1.0 / 14, em));
  l.tick = share(0.4, em);
  l.minor_tick = share(0.22, em);
  l.pad = share(0.6, em);
  l.label_gap = share(0.3, em);
  l.side_label_width = share(2.8, em);
  l.side_title_gap = share(0.4, em);
  l.descent = share(0.24, em);
  l.title_size = 1.2 * em;
  l.caption_size = 0.8 * em;
  const int beside_axis = l.line + l.tick + l.label_gap;
  const int side = beside_axis + l.side_label_width + l.side_title_gap + em + l.pad;
  const int top = l.pad + share(1.95, em);
  const int bottom = beside_axis + share(0.8, em) + share(0.5, em) + em + l.pad;
  const int bar = share(1.1, em), bar_gap = share(1.0, em);

  l.plot.left = static_cast<std::size_t>(side);
  l.plot.top = static_cast<std::size_t>(top);
  l.plot.width = width - static_cast<std::size_t>(2 * side + bar_gap + bar);
  l.plot.height = height - static_cast<std::size_t>(top + bottom);
  if (picture.strip) add_strip(function, l, picture);
  if (picture.arrangement == panel_arrangement::side_by_side)
    divide_width(function, l, panels);
  else
    divide_height(function, l, panels);
  l.bar_left = l.plot_right() + static_cast<std::size_t>(bar_gap);
  l.bar_width = static_cast<std::size_t>(bar);
  l.title_baseline = l.pad + share(0.95, em);
  l.time_label_baseline = static_cast<double>(l.bottom()) + beside_axis + share(0.75, em);
  l.time_title_baseline = static_cast<double>(height) - l.pad - l.descent;
  return l;
}

spectrogram_layout lay_out_spectrogram(const char* function, const spectrogram_picture& picture) {
  return lay_out_panels(function, picture, std::max<std::size_t>(1, picture.panels.size()));
}

}  // namespace render_detail

plot_extent spectrogram_plot_extent(std::size_t width, std::size_t height) {
  spectrogram_picture picture;
  picture.width = width;
  picture.height = height;
  return render_detail::lay_out_panels("spectrogram_plot_extent", picture, 1).plot;
}

std::vector<plot_extent> spectrogram_panel_extents(std::size_t width, std::size_t height,
                                                   std::size_t panels) {
  spectrogram_picture picture;
  picture.width = width;
  picture.height = height;
  return render_detail::lay_out_panels("spectrogram_panel_extents", picture, panels).panels;
}

std::vector<plot_extent> spectrogram_panel_extents(const spectrogram_picture& picture) {
  return render_detail::lay_out_spectrogram("spectrogram_panel_extents", picture).panels;
}

}  // namespace papilio

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "render/line_plot_axes.hpp"

namespace papilio::render_detail {

/// How curve number `index` looks: eight colours that colour-blind readers can tell apart, then
/// the same dashed. Lengths in line widths.
struct line_style {
  rgb color;
  std::span<const double> dashes;
};
line_style style_of(std::size_t index, picture_theme theme);

/// Rectangle in pixels from the top left corner of the picture.
struct box {
  double left = 0, top = 0, width = 0, height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// Number of pieces of the paths whose surroundings touch the box.
std::size_t pieces_under(const box& b, const line_plot_layout& l,
                         const std::vector<line_path>& paths);

/// Names with samples of their lines, in the corner of the plot where they hide least of the paths;
/// names that do not fit end in an ellipsis, and where there is no room for all, the last line says
/// how many are left out.
struct plot_legend {
  box where = {};
  double text_left = 0, room = 0;       ///< from the box's left edge; widest text
  std::vector<std::string> names = {};  ///< as they are drawn, from the top down
  std::size_t named = 0;                ///< names that are those of curves
};
plot_legend place_legend(const text_ruler& ruler, const line_plot_layout& l, const line_plot& plot,
                         const std::vector<line_path>& paths);
void draw_legend(drawing& sheet, const line_plot_layout& l, const line_plot& plot,
                 const plot_legend& legend);

/// Width of a curve's line.
double curve_width(const line_plot_layout& l);

}  // namespace papilio::render_detail

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

/// Names with samples of their lines, in the corner of the plot where they hide least of the paths;
/// names that do not fit end in an ellipsis, and where there is no room for all, the last line says
/// how many are left out.
void draw_legend(drawing& sheet, const line_plot_layout& l, const line_plot& plot,
                 const std::vector<line_path>& paths);

/// Width of a curve's line.
double curve_width(const line_plot_layout& l);

}  // namespace papilio::render_detail

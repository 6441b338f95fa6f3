#pragma once

#include <string>
#include <vector>

#include "papilio/render.hpp"
#include "render/line_path.hpp"
#include "render/logarithmic_marks.hpp"
#include "render/theme.hpp"

namespace papilio::render_detail {

/// Sizes and places of a plot's parts in whole pixels, and its axes with their marks. Margins
/// follow the picture's size and the width of the labels.
struct line_plot_layout {
  std::size_t width = 0, height = 0;
  int em = 0, line = 0, tick = 0, minor_tick = 0, pad = 0, label_gap = 0, descent = 0;
  double title_size = 0, title_baseline = 0;
  double x_label_baseline = 0, x_title_baseline = 0, y_title_baseline = 0;
  plot_extent plot = {};
  plot_axes axes = {};
  tick_marks x_marks = {}, y_marks = {};
  std::vector<double> x_minor = {}, y_minor = {};  // on the axis
  std::string x_title = {}, y_title = {};

  double left() const { return static_cast<double>(plot.left); }
  double top() const { return static_cast<double>(plot.top); }
  double right() const { return static_cast<double>(plot.left + plot.width); }
  double bottom() const { return static_cast<double>(plot.top + plot.height); }
};

/// `ruler` measures text; nothing is drawn on it. The plot begins at `least_left` or further right.
line_plot_layout lay_out_line_plot(const text_ruler& ruler, const line_plot& plot,
                                   std::size_t least_left = 0);

/// Lines across the plot at the labelled ticks, under the curves.
void draw_grid(drawing& sheet, const line_plot_layout& l, const theme_colors& colors);

/// Frame, ticks, labels and titles.
void draw_line_plot_axes(drawing& sheet, const line_plot_layout& l, const line_plot& plot);

}  // namespace papilio::render_detail

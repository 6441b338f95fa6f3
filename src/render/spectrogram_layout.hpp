#pragma once

#include <cstddef>
#include <vector>

#include "papilio/render.hpp"

namespace papilio::render_detail {

/// Throws invalid_argument, in the name of `function`, if a picture's side is below `least` or
/// above maximum_picture_side.
void require_side(const char* function, const char* argument, std::size_t value, std::size_t least);

/// Returns the size of type, which grows with the picture, but slower: 10 px at 300 x 200, 15 at
/// 1200 x 600, 21 at 2000 x 1100. With `scale` pixels to a usual one, type is as large as in the
/// picture of usual pixels, where it fits.
int em_of(double width, double height, double scale);

/// Returns so many ems in pixels.
int share(double ems, int em);

/// Sizes and places of a spectrogram's parts in whole pixels; a function of the picture's size,
/// panels and strip only. Every margin is counted in ems of the label font, for the widest
/// labels there are.
struct spectrogram_layout {
  std::size_t width, height;
  int em;                                // label font size
  int line, tick, minor_tick, pad;       // line width, tick lengths, outer padding
  int label_gap;                         // between a tick's end and its label
  int side_label_width, side_title_gap;  // beside the y axis and the bar: room for labels; gap
  int descent;                           // depth of letters below the baseline
  double title_size, caption_size;
  plot_extent plot;                 // around all panels
  std::vector<plot_extent> panels;  // in their order
  std::optional<plot_extent> strip;
  std::size_t bar_left, bar_width;  // the colour bar is as high as the plot
  double title_baseline, time_label_baseline, time_title_baseline;

  std::size_t plot_right() const { return plot.left + plot.width; }
  std::size_t plot_bottom() const { return plot.top + plot.height; }
  std::size_t bar_right() const { return bar_left + bar_width; }
  /// Bottom of the plot or the strip, where the axes below stand.
  std::size_t bottom() const { return strip ? strip->top + strip->height : plot_bottom(); }
  /// Baseline of the name above a panel, in pixels from the top of the picture.
  double name_baseline(const plot_extent& panel) const;
};

/// Lays out a picture; without panels it has one. Throws invalid_argument, in the name of
/// `function`, if a side or dpi is outside the minimum or the maximum, the panels do not fit, or
/// there is a strip where none can be.
spectrogram_layout lay_out_spectrogram(const char* function, const spectrogram_picture& picture);

}  // namespace papilio::render_detail

#pragma once

#include "papilio/render.hpp"

namespace papilio::render_detail {

/// Colours of a theme.
struct theme_colors {
  rgb paper, ink, grid, edge;  ///< edge: around a legend
};

/// Returns the colours of a theme. Throws invalid_argument, in the name of `function`, unless it is
/// one of picture_theme.
theme_colors colors_of(picture_theme theme, const char* function);

/// Returns the number of the picture's pixels in a usual pixel, of which an inch has 96. Throws
/// invalid_argument, in the name of `function`, for dots per inch that are out of bounds.
double pixel_scale(const std::optional<double>& dpi, const char* function);

}  // namespace papilio::render_detail

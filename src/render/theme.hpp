#pragma once

#include "papilio/render.hpp"

namespace papilio::render_detail {

/// What a theme draws in.
struct theme_colors {
  rgb paper, ink, grid, edge;  ///< edge: around a legend
};

/// invalid_argument, in the name of `function`, unless it is one of picture_theme.
theme_colors colors_of(picture_theme theme, const char* function);

/// Pixels of this picture in one of the usual pixels, of 96 an inch. invalid_argument, in the name
/// of `function`, for a number of dots an inch that is out of its bounds.
double pixel_scale(const std::optional<double>& dpi, const char* function);

}  // namespace papilio::render_detail

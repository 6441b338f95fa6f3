#pragma once

#include "papilio/render.hpp"
#include "render/drawing.hpp"
#include "render/spectrogram_layout.hpp"

namespace papilio::render_detail {

/// Draws all but the plot and the colours of the bar: frames, ticks, labels and titles.
/// The picture's fields are in their ranges.
void draw_spectrogram_axes(drawing& sheet, const spectrogram_layout& layout,
                           const spectrogram_picture& picture);

}  // namespace papilio::render_detail

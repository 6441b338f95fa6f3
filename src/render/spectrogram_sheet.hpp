#pragma once

#include "papilio/render.hpp"
#include "render/png_writer.hpp"
#include "render/spectrogram_layout.hpp"

namespace papilio::render_detail {

/// The picture as a file, to `sink`. Its fields are in their ranges, and its panels are as many as
/// the layout's: level_db is not looked at.
void draw_spectrogram(const spectrogram_picture& picture, const spectrogram_layout& layout,
                      picture_format format, byte_sink sink);

}  // namespace papilio::render_detail

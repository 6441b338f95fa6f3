#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/parallel_for.hpp"
#include "papilio/render.hpp"
#include "render/level_raster.hpp"
#include "render/png_writer.hpp"
#include "render/spectrogram_layout.hpp"

namespace papilio::render_detail {

/// The picture with panels, one at least. Throws as spectrogram_png, in the name of `function`, for
/// fields out of their ranges.
spectrogram_picture checked_panels(const char* function, const spectrogram_picture& picture);

/// Colours of a picture: the steps of its levels, then shades from paper to ink; at most 256.
inline constexpr int color_steps = 224;
std::vector<rgb> palette_of(const spectrogram_picture& picture);

/// Steps of a panel's levels, as many rows and columns as the plot has; of a waterfall turned over.
level_raster raster_of(const spectrogram_picture& picture, std::size_t panel,
                       const plot_extent& plot);

/// The picture's rows from the top, as indices into its palette, with the layout that draw_spectrogram takes.
void draw_rows(const spectrogram_picture& picture, const spectrogram_layout& layout,
               function_ref<void(std::span<const std::uint8_t> row)> take);

/// The picture as a file, to `sink`. Its fields are in their ranges, and its panels are as many as
/// the layout's: level_db is not looked at.
void draw_spectrogram(const spectrogram_picture& picture, const spectrogram_layout& layout,
                      picture_format format, byte_sink sink);

}  // namespace papilio::render_detail

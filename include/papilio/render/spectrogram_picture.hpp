#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/frequency_axis.hpp"
#include "papilio/base/view.hpp"
#include "papilio/render/color_map.hpp"
#include "papilio/render/picture_format.hpp"

namespace papilio {

inline constexpr std::size_t minimum_picture_width = 300;   // pixels
inline constexpr std::size_t minimum_picture_height = 200;  // pixels
inline constexpr std::size_t maximum_picture_side = 16384;  // pixels

/// Where the spectrogram itself lies in the picture, in pixels from the top left corner.
struct plot_extent {
  std::size_t left = 0, top = 0, width = 0, height = 0;
};

/// The plot inside a picture of width x height pixels: levels of shape [plot height, plot width]
/// are drawn one to a pixel. It depends on nothing else, neither on fonts nor on labels.
/// invalid_argument if a side is outside the minimum or the maximum.
PAPILIO_API plot_extent spectrogram_plot_extent(std::size_t width, std::size_t height);

/// The plots of a picture with so many panels, from the top down, all of one size; of one panel
/// the plot above. invalid_argument also for no panels, or more than fit at 40 pixels each.
PAPILIO_API std::vector<plot_extent> spectrogram_panel_extents(std::size_t width,
                                                               std::size_t height,
                                                               std::size_t panels);

/// One of several spectrograms in a picture.
struct spectrogram_panel {
  view<const float, 2> level_db = {};  ///< as spectrogram_picture's
  std::string name = {};  ///< above its left edge, where there are several panels; as a title
};

/// A spectrogram to draw: levels, what they stand for, and how they shall look.
struct spectrogram_picture {
  /// Levels in dB, [frequency rows, time columns]: row 0 is the lowest frequency, column 0 the
  /// earliest time; rows share the frequency axis evenly, columns the duration. Any shape but an
  /// empty one, any strides. Along an axis with more levels than pixels every pixel shows the
  /// largest of its levels and every level falls in one pixel; along one with fewer, a pixel shows
  /// the level whose share holds the pixel's centre. Levels that are not finite are drawn as the
  /// floor (and so hidden by any other in the same pixel).
  view<const float, 2> level_db = {};
  /// Instead of level_db: several spectrograms, the first on top, with the same axes, over one time
  /// axis and beside one colour bar.
  std::vector<spectrogram_panel> panels = {};

  double start_seconds = 0;     ///< time at the plot's left edge; at most 1e9 either side of 0
  double duration_seconds = 1;  ///< from edge to edge; at least 1 ns
  double low_hz = 0;            ///< at the plot's lower edge; see frequency_axis for the bounds
  double high_hz = 1;           ///< at the plot's upper edge
  frequency_scale scale = frequency_scale::linear;  ///< of the frequency axis

  float floor_db = -120;  ///< this and below: the darkest colour; at least -10000
  float ceiling_db = 0;   ///< this and above: the lightest; at most 10000, 0.01 above floor_db

  /// UTF-8 on one line: control characters become spaces, malformed bytes U+FFFD, and what does
  /// not fit the picture ends in an ellipsis.
  std::string title = {};
  std::string caption = {};  ///< small, at the lower right: how the levels were made; as the title
  std::string level_unit = "dBFS";  ///< beside the colour bar: "Level (dBFS)"; empty: no label
  color_map colors = color_map::magma;

  std::size_t width = 1200;  ///< of the whole picture, axes and all, in pixels
  std::size_t height = 600;
};

/// The picture as a PNG file in memory: 8-bit palette, dark text on white, y axis in Hz or kHz (on
/// a logarithmic or mel axis 2000 Hz is "2k"), time axis in seconds, m:ss or h:mm:ss. Takes about
/// one byte of memory a pixel and the PNG itself. Text is set in DejaVu Sans where installed, and
/// what that lacks in the fonts that fontconfig offers. invalid_argument for a field out of its
/// range (above) or too narrow for its offset (a span below 1e-12 of the values), shape_error for
/// no levels, resource_error for want of memory, or of any font with digits.
PAPILIO_API std::vector<std::byte> spectrogram_png(const spectrogram_picture& picture);

/// The same picture as a file, which appears complete or not at all; rows are streamed to it.
/// Throws what spectrogram_png throws, and io_error where the file cannot be written.
PAPILIO_API void write_spectrogram_png(const std::filesystem::path& path,
                                       const spectrogram_picture& picture);

/// The same picture in any format. In SVG and PDF (of one page) a pixel is 1/96 inch, levels are an
/// image of one pixel each, and all else is drawn in lines; they take four bytes of memory more for
/// each pixel of the plot. Throws what spectrogram_png throws.
PAPILIO_API std::vector<std::byte> spectrogram_image(const spectrogram_picture& picture,
                                                     picture_format format);

/// And as a file of the format its extension names; it appears complete or not at all. Throws what
/// spectrogram_png and picture_format_of throw, and io_error where the file cannot be written.
PAPILIO_API void write_spectrogram(const std::filesystem::path& path,
                                   const spectrogram_picture& picture);

}  // namespace papilio

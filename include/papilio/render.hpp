#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/frequency_axis.hpp"

namespace papilio {

/// Sequential colour maps, all from dark (lowest level) to light (highest level). Matplotlib's five
/// are perceptually uniform and serve colour-blind readers; grey is linear in the sRGB value, black
/// to white.
enum class color_map { viridis, plasma, inferno, magma, cividis, grey };

inline constexpr std::array all_color_maps{color_map::viridis, color_map::plasma,
                                           color_map::inferno, color_map::magma,
                                           color_map::cividis, color_map::grey};

/// An sRGB colour.
struct rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend constexpr bool operator==(const rgb&, const rgb&) = default;
};

/// Colour at `position` in [0, 1]; positions outside, and NaN, are taken to the nearer end (NaN:
/// 0). Matplotlib's maps are within one step in 255 of its 256-entry tables. invalid_argument
/// unless the map is one of all_color_maps.
PAPILIO_API rgb color_at(color_map map, double position);

/// "viridis", "plasma", "inferno", "magma", "cividis" or "grey".
PAPILIO_API std::string_view to_string(color_map map);

/// The map of that name, "gray" for grey too; invalid_argument, naming those there are, if there is
/// none.
PAPILIO_API color_map color_map_named(std::string_view name);

enum class picture_format { png, svg, pdf };

/// The format that a path's extension (.png, .svg, .pdf in any case) names; invalid_argument for
/// any other.
PAPILIO_API picture_format picture_format_of(const std::filesystem::path& path);

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

enum class axis_scale { linear, logarithmic };

/// Both ends of an axis; low below high.
struct value_range {
  double low = 0, high = 1;
};

/// Points joined by a line in the order given. A point with a coordinate that is NaN, infinite or
/// beyond 1e300 in magnitude, or, on a logarithmic axis, with an x that is not positive, is left
/// out and leaves a gap. The numbers are not copied.
struct line_curve {
  std::span<const double> y = {};
  std::span<const double> x = {};  ///< as many as y, in any order; empty: first_x + i * step_x
  double first_x = 0, step_x = 1;  ///< finite; used where x is empty
  std::string name = {};           ///< in the legend; empty: "curve N"
};

/// Curves to draw over one pair of axes. Texts are UTF-8 on one line, see spectrogram_picture.
struct line_plot {
  std::vector<line_curve> curves = {};  ///< at least one; a curve may be empty

  axis_scale x_scale = axis_scale::linear;
  /// What the axes show; points beyond are cut off at the plot's edge. Finite, at most 1e300 in
  /// magnitude, high above low by at least 1e-9 of the larger magnitude; x on a logarithmic axis
  /// positive. Without a range the axis holds all points (y: all within the x range), y with a
  /// margin; where there are none, 0 to 1 (logarithmic 1 to 10).
  std::optional<value_range> x_range = {}, y_range = {};

  std::string title = {};
  /// "Frequency" and "Hz" become "Frequency (kHz)" with labels in kHz where that suits, or, on a
  /// logarithmic axis, labels such as "2k"; units other than Hz stand as they are.
  std::string x_quantity = {}, x_unit = {};
  std::string y_quantity = {}, y_unit = {};

  /// Of the whole picture, in pixels; minimum_picture_width and so on are its bounds. In SVG and
  /// PDF a pixel is 1/96 inch.
  std::size_t width = 1200, height = 600;
};

/// The plot as a file in memory: an 8-bit RGB PNG, an SVG, or a PDF of one page; dark text on
/// white, a grid, and a legend in the emptiest corner where there are several curves.
///
/// Neighbouring points within one pixel column (in SVG and PDF a quarter of one) are drawn as
/// their first, lowest, highest and last, so that no extreme is lost and memory follows the width
/// and not the number of points, where x is ascending or descending. O(points).
/// shape_error for no curves, or for x and y of different lengths; invalid_argument for a field
/// out of its range (above); resource_error for want of memory, or of any font with digits.
PAPILIO_API std::vector<std::byte> line_plot_image(const line_plot& plot, picture_format format);

/// The same plot as a file of the format its extension names; it appears complete or not at all.
/// Throws what line_plot_image and picture_format_of throw, and io_error where the file cannot be
/// written.
PAPILIO_API void write_line_plot(const std::filesystem::path& path, const line_plot& plot);

/// Distance of labelled ticks, and of the finer unlabelled ones between them (a divisor of it).
struct tick_step {
  double major = 1, minor = 0.2;
};

/// Smallest step of 1, 2 or 5 times a power of ten that is at least `minimum`.
/// invalid_argument unless `minimum` is finite and positive.
PAPILIO_API tick_step nice_step(double minimum);

/// Smallest step for a time axis that is at least `minimum_seconds`: 1, 2, 5 times a power of ten
/// up to 10 s; 15 s, 30 s; 1, 2, 5, 10, 15, 30 min; 1, 2, 3, 6, 12, 24 h; then 2, 5, 10, 20, ...
/// days. invalid_argument unless `minimum_seconds` is finite and positive.
PAPILIO_API tick_step nice_time_step(double minimum_seconds);

/// The multiples of `step` in [low, high], ascending; those within 1e-9 steps of an end count as
/// in. Zero is exactly zero. invalid_argument unless all are finite, low <= high and step > 0, and
/// if there would be more than 100000 ticks.
PAPILIO_API std::vector<double> ticks_between(double low, double high, double step);

/// `value` with as many decimals as multiples of `step` need, and U+2212 as its minus sign.
/// Never "-0".
PAPILIO_API std::string format_tick(double value, double step);

/// How a time axis is labelled: in units of a second, or as minutes or hours with seconds.
enum class time_format { nanoseconds, microseconds, milliseconds, seconds, minutes, hours };

/// The format for an axis whose largest absolute time is `largest_seconds`: seconds up to a minute
/// ("42"), m:ss below an hour ("3:05"), h:mm:ss beyond ("1:03:05"); milliseconds up to 0.1 s,
/// microseconds up to 0.1 ms, nanoseconds up to 0.1 us.
PAPILIO_API time_format time_format_for(double largest_seconds);

/// Seconds in one unit of the format: 1 for seconds, minutes and hours, 1e-3 for milliseconds, ...
PAPILIO_API double unit_seconds(time_format format);

/// What stands in the axis title: "s", "ms", "m:ss", ...
PAPILIO_API std::string_view unit_label(time_format format);

/// Label of the time `seconds` in that format, with as many decimals as `step_seconds` needs.
PAPILIO_API std::string format_time_tick(double seconds, double step_seconds, time_format format);

}  // namespace papilio

// Pictures: colour maps, axis ticks, spectrograms and line plots as PNG, SVG and PDF.

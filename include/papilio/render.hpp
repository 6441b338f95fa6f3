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

/// Colour map from the lowest level to the highest.
///   viridis, plasma, inferno, magma, cividis   Matplotlib's, dark to light; perceptually uniform and
///                                              fit for colour-blind readers
///   grey       linear in the sRGB value, black to white
///   turbo      Google's rainbow: blue, green, red; not even in lightness, and dark at both ends
///   coolwarm   diverging, for differences: blue, light grey in the middle, red
enum class color_map { viridis, plasma, inferno, magma, cividis, grey, turbo, coolwarm };

/// Colour maps, all of them.
inline constexpr std::array all_color_maps{
    color_map::viridis, color_map::plasma, color_map::inferno, color_map::magma,
    color_map::cividis, color_map::grey,   color_map::turbo,   color_map::coolwarm};

/// Colour in sRGB.
struct rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend constexpr bool operator==(const rgb&, const rgb&) = default;
};

/// Returns the colour at `position` in [0, 1]; positions outside are clamped, and NaN is 0.
/// Matplotlib's maps are within one step in 255 of its 256-entry tables.
/// Throws invalid_argument unless the map is one of all_color_maps.
PAPILIO_API rgb color_at(color_map map, double position);

/// Returns the map's name, as "viridis".
PAPILIO_API std::string_view to_string(color_map map);

/// Returns the map of that name, or "gray". Throws invalid_argument, listing the names, for others.
PAPILIO_API color_map color_map_named(std::string_view name);

/// File format of a picture.
enum class picture_format { png, svg, pdf };

/// Returns the format of a path's extension (.png, .svg, .pdf). Throws invalid_argument for others.
PAPILIO_API picture_format picture_format_of(const std::filesystem::path& path);

/// Colours of all that is not levels or curves: dark text on white, or light text on near-black.
enum class picture_theme { light, dark };

/// Returns "light" or "dark".
PAPILIO_API std::string_view to_string(picture_theme theme);

/// Returns the theme of that name. Throws invalid_argument, listing the names, for others.
PAPILIO_API picture_theme picture_theme_named(std::string_view name);

inline constexpr double minimum_picture_dpi = 72, maximum_picture_dpi = 1200;

inline constexpr std::size_t minimum_picture_width = 300;   // pixels
inline constexpr std::size_t minimum_picture_height = 200;  // pixels
inline constexpr std::size_t maximum_picture_side = 16384;  // pixels

/// Rectangle of the spectrogram itself in the picture, in pixels from the top left corner.
struct plot_extent {
  std::size_t left = 0, top = 0, width = 0, height = 0;
};

/// Returns the plot's rectangle in a picture of width x height pixels: levels of shape [plot
/// height, plot width] are drawn one to a pixel. It depends on neither fonts nor labels.
/// Throws invalid_argument if a side is outside the minimum or the maximum.
PAPILIO_API plot_extent spectrogram_plot_extent(std::size_t width, std::size_t height);

/// Returns the plots' rectangles in a picture with so many panels, from the top down, all of one
/// size; of one panel the plot above.
/// Throws also invalid_argument for no panels, or more than fit at 40 pixels each.
PAPILIO_API std::vector<plot_extent> spectrogram_panel_extents(std::size_t width,
                                                               std::size_t height,
                                                               std::size_t panels);

/// Panel of a picture with several spectrograms.
struct spectrogram_panel {
  view<const float, 2> level_db = {};  ///< as spectrogram_picture's
  std::string name = {};  ///< above its left edge, where there are several panels; as a title
};

/// Where the panels of a picture stand: one above the other, or from left to right.
enum class panel_arrangement { stacked, side_by_side };

/// Strip under a spectrogram, on its time axis: a level, or the outline of a waveform.
struct spectrogram_strip {
  /// Values at the lower and the upper edge of what is filled, one each for columns that divide the
  /// duration evenly; as many of both, at least one. What is not finite is left out.
  std::vector<float> lower = {}, upper = {};
  float low = 0, high = 1;  ///< values at the strip's edges; finite, low below high
  std::string unit = {};    ///< beside its axis, as "dBFS"; as a title
};

/// Frequency that is marked by a dotted line across the picture, with its name in a box.
struct frequency_mark {
  double hz = 0;
  std::string name = {};  ///< as a title
};

/// Description of a spectrogram to draw: levels, their axes, and the appearance.
struct spectrogram_picture {
  /// Levels in dB, [frequency rows, time columns]: row 0 is the lowest frequency, column 0 the
  /// earliest time; rows divide the frequency axis evenly, columns the duration. Any shape but an
  /// empty one, any strides. Along an axis with more levels than pixels every pixel shows the
  /// largest of its levels and every level falls in one pixel; along one with fewer, a pixel shows
  /// the level at its centre. Levels that are not finite are drawn as the floor (and so hidden by
  /// any other in the same pixel).
  view<const float, 2> level_db = {};
  /// Several spectrograms instead of level_db, the first on top, with the same axes, over one time
  /// axis and beside one colour bar.
  std::vector<spectrogram_panel> panels = {};
  panel_arrangement arrangement = panel_arrangement::stacked;

  double start_seconds = 0;     ///< time at the plot's left edge; at most 1e9 either side of 0
  double duration_seconds = 1;  ///< from edge to edge; at least 1 ns
  double low_hz = 0;            ///< at the plot's lower edge; see frequency_axis for the bounds
  double high_hz = 1;           ///< at the plot's upper edge
  frequency_scale scale = frequency_scale::linear;  ///< of the frequency axis
  /// Time runs downwards and frequency to the right.
  bool waterfall = false;
  /// Times at which a line is drawn across the plot: at most 100 000; those off the axis are left out.
  std::vector<double> marked_seconds = {};
  std::optional<spectrogram_strip> strip = {};  ///< none of a waterfall or panels side by side
  std::vector<frequency_mark> marks = {};       ///< at most 100; those off the axis are left out
  /// Frequencies in Hz that are drawn as a line over time, a pitch for example, in every panel: one
  /// for each of columns that divide the duration evenly, at most 2^20. There is a gap where one is not
  /// finite or off the axis, and where it is 1.3 of the one before or more, or 1 / 1.3 or less.
  std::vector<float> curve_hz = {};

  float floor_db = -120;  ///< this and below: the darkest colour; at least -10000
  float ceiling_db = 0;   ///< this and above: the lightest; at most 10000, 0.01 above floor_db

  /// Title in UTF-8 on one line: control characters become spaces, malformed bytes U+FFFD, and what
  /// does not fit the picture ends in an ellipsis.
  std::string title = {};
  std::string caption = {};  ///< small, at the lower right: how the levels were made; as the title
  std::string level_unit = "dBFS";  ///< beside the colour bar: "Level (dBFS)"; empty: no label
  std::string level_quantity = "Level";
  color_map colors = color_map::magma;
  picture_theme theme = picture_theme::light;

  std::size_t width = 1200;  ///< of the whole picture, axes and all, in pixels
  std::size_t height = 600;
  /// Pixels an inch, minimum_picture_dpi to maximum_picture_dpi: texts and lines grow with it, a PNG
  /// states it (as pHYs), and an SVG or PDF has that many pixels an inch. None: 96, not stated.
  std::optional<double> dpi = {};
};

/// Returns the plots' rectangles of a picture, in the order of its panels, whatever its levels are:
/// width, height, dpi, number and arrangement of panels, and whether there is a strip, decide.
/// Throws as spectrogram_png for these.
PAPILIO_API std::vector<plot_extent> spectrogram_panel_extents(const spectrogram_picture& picture);

/// Draws the picture as a PNG file in memory: 8-bit palette, y axis in Hz or kHz (where it is not
/// even in Hz, 2000 Hz is "2k") or notes (C4, F♯4), time axis in seconds, m:ss or h:mm:ss; the
/// ends of axes are labelled where there is room. Takes about one byte of memory a pixel and the PNG
/// itself. Text is set in DejaVu Sans if it is installed, and other characters in the fonts that
/// fontconfig offers.
/// Throws invalid_argument for a field out of its range (above) or too narrow for its offset (a
/// span below 1e-12 of the values); shape_error for no levels; resource_error if memory, or any
/// font with digits, is missing.
PAPILIO_API std::vector<std::byte> spectrogram_png(const spectrogram_picture& picture);

/// Writes the picture as a PNG file, which appears complete or not at all; rows are streamed to it.
/// Throws as spectrogram_png, and io_error if the file cannot be written.
PAPILIO_API void write_spectrogram_png(const std::filesystem::path& path,
                                       const spectrogram_picture& picture);

/// Draws the picture in any format. In SVG and PDF (of one page) a pixel is 1/96 inch, or 1/dpi, levels are
/// an image of one pixel each, and all else is drawn in lines; they take four more bytes of memory
/// for each pixel of the plot. Throws as spectrogram_png.
PAPILIO_API std::vector<std::byte> spectrogram_image(const spectrogram_picture& picture,
                                                     picture_format format);

/// Writes the picture in the format of the path's extension, complete or not at all.
/// Throws as spectrogram_png and picture_format_of, and io_error if the file cannot be written.
PAPILIO_API void write_spectrogram(const std::filesystem::path& path,
                                   const spectrogram_picture& picture);

/// Colours of levels in a picture without axes.
struct level_colors {
  float floor_db = -120, ceiling_db = 0;  ///< 0.01 apart at least
  int steps =
      256;  ///< 2 to 256: step i shows floor_db + i to i + 1 times (ceiling - floor) / steps
  color_map map = color_map::magma;
};

/// Draws levels alone, one to a pixel, without axes and texts, as a PNG file in memory with a
/// palette of `steps` colours: for pages and programs that draw the axes themselves. Levels are as
/// in spectrogram_picture: [frequency rows, time columns], row 0 at the bottom, of up to
/// maximum_picture_side a side.
/// Throws shape_error for no levels, invalid_argument for a field out of its range, resource_error
/// if memory is missing.
PAPILIO_API std::vector<std::byte> level_png(view<const float, 2> level_db,
                                             const level_colors& colors = {});

/// Scale of a line plot's axis.
enum class axis_scale { linear, logarithmic };

/// Range of an axis; low below high.
struct value_range {
  double low = 0, high = 1;
};

/// Curve of points joined by a line in the order given. A point with a coordinate that is NaN,
/// infinite or beyond 1e300 in magnitude, or not positive on a logarithmic axis, is left out and
/// leaves a gap; a point alone is a dot, a curve of one point a larger one. The numbers are not
/// copied.
struct line_curve {
  std::span<const double> y = {};
  std::span<const double> x = {};  ///< as many as y, in any order; empty: first_x + i * step_x
  double first_x = 0, step_x = 1;  ///< finite; used where x is empty
  std::string name = {};           ///< in the legend; empty: "curve N"
};

/// Row of a chart of what happened when: bars from low to high on the x axis, in any order.
struct plot_lane {
  std::string name = {};  ///< beside the row
  std::vector<value_range> spans = {};
  std::size_t color = 0;  ///< that of curve number `color`
};

inline constexpr std::size_t most_plot_lanes = 200;

/// Point of a plot with a dot, in the color of a curve, and a name beside it.
struct plot_mark {
  double x = 0, y = 0;    ///< left out where an axis does not reach it
  std::string name = {};  ///< as a title
  std::size_t color = 0;  ///< that of curve number `color`
};

inline constexpr std::size_t most_plot_marks = 1000;

/// Description of curves, or of lanes, to draw over one pair of axes. Texts are as in
/// spectrogram_picture.
struct line_plot {
  std::vector<line_curve> curves = {};  ///< at least one, without lanes; a curve may be empty
  /// Instead of curves: rows from the top down, most_plot_lanes at most, in place of the y axis.
  /// Bars less than a quarter of a pixel apart are joined, so that memory follows the width.
  std::vector<plot_lane> lanes = {};

  /// Marked points of curves, the most important first, at most most_plot_marks. A name stands above
  /// its point or beside it, clear of the names before it and of the legend, and where it hides least
  /// of the curves; one that finds no such place is left out with its dot.
  std::vector<plot_mark> marks = {};

  axis_scale x_scale = axis_scale::linear, y_scale = axis_scale::linear;
  /// Ranges that the axes show; points beyond are cut off at the plot's edge. Finite, at most 1e300
  /// in magnitude, high above low by at least 1e-9 of the larger magnitude; on a logarithmic axis
  /// positive. Without a range the axis holds all points (y: all within the x range, and marks), y with
  /// a margin; without any point it is 0 to 1 (logarithmic 1 to 10).
  std::optional<value_range> x_range = {}, y_range = {};

  std::string title = {};
  /// Labels of the axes. "Frequency" and "Hz" become "Frequency (kHz)" with labels in kHz where
  /// that suits, or, on a logarithmic axis, labels such as "2k"; other units are kept.
  std::string x_quantity = {}, x_unit = {};
  std::string y_quantity = {}, y_unit = {};

  /// Size of the whole picture in pixels, within minimum_picture_width and so on. In SVG and PDF a
  /// pixel is 1/96 inch, or 1/dpi.
  std::size_t width = 1200, height = 600;
  picture_theme theme = picture_theme::light;
  std::optional<double> dpi = {};  ///< as spectrogram_picture's
};

/// Draws the plot as a file in memory: an 8-bit RGB PNG, an SVG, or a PDF of one page, with a
/// grid, and a legend in the emptiest corner if there are several curves.
///
/// Neighbouring points within one pixel column (in SVG and PDF a quarter of one) are drawn as their
/// first, lowest, highest and last, so that no extreme is lost and, if x is ascending or
/// descending, memory follows the width and not the number of points. O(points).
/// Throws shape_error for no curves and no lanes, for both, for too many lanes or marks, or for x
/// and y of different lengths; invalid_argument for a
/// field out of its range (above); resource_error if memory, or any font with digits, is missing.
PAPILIO_API std::vector<std::byte> line_plot_image(const line_plot& plot, picture_format format);

/// Draws several plots in one picture, the first on top, with their y axes in line; the height is the
/// sum of theirs. A title stands over each plot that has one.
/// Throws as line_plot_image, shape_error for none, and invalid_argument where width, theme or dpi differ.
PAPILIO_API std::vector<std::byte> stacked_plots_image(std::span<const line_plot> plots,
                                                       picture_format format);

/// Writes the plot in the format of the extension, complete or not at all.
/// Throws as line_plot_image and picture_format_of, and io_error if the file cannot be written.
PAPILIO_API void write_line_plot(const std::filesystem::path& path, const line_plot& plot);

/// Step between labelled ticks, and between the finer unlabelled ones (a divisor of it).
struct tick_step {
  double major = 1, minor = 0.2;
};

/// Returns the smallest step of 1, 2 or 5 times a power of ten that is at least `minimum`.
/// Throws invalid_argument unless `minimum` is finite and positive.
PAPILIO_API tick_step nice_step(double minimum);

/// Returns the smallest step of a time axis that is at least `minimum_seconds`: 1, 2, 5 times a
/// power of ten up to 10 s; 15 s, 30 s; 1, 2, 5, 10, 15, 30 min; 1, 2, 3, 6, 12, 24 h; then 2, 5,
/// 10, 20, ... days.
/// Throws invalid_argument unless `minimum_seconds` is finite and positive.
PAPILIO_API tick_step nice_time_step(double minimum_seconds);

/// Returns the multiples of `step` in [low, high], ascending; those within 1e-9 steps of an end are
/// included. Zero is exactly zero.
/// Throws invalid_argument unless all are finite, low <= high and step > 0, and if there would be
/// more than 100000 ticks.
PAPILIO_API std::vector<double> ticks_between(double low, double high, double step);

/// Returns the text of `value` with as many decimals as multiples of `step` need, and U+2212 as its
/// minus sign; never "-0".
PAPILIO_API std::string format_tick(double value, double step);

/// Label format of a time axis: in units of a second, or as minutes or hours with seconds.
enum class time_format { nanoseconds, microseconds, milliseconds, seconds, minutes, hours };

/// Returns the format of an axis whose largest absolute time is `largest_seconds`: seconds up to a
/// minute ("42"), m:ss below an hour ("3:05"), h:mm:ss beyond ("1:03:05"); milliseconds up to 0.1
/// s, microseconds up to 0.1 ms, nanoseconds up to 0.1 us.
PAPILIO_API time_format time_format_for(double largest_seconds);

/// Returns the seconds in one unit: 1 for seconds, minutes and hours, 1e-3 for milliseconds, ...
PAPILIO_API double unit_seconds(time_format format);

/// Returns the unit for the axis title: "s", "ms", "m:ss", ...
PAPILIO_API std::string_view unit_label(time_format format);

/// Returns the label of a time in that format, with as many decimals as `step_seconds` needs.
PAPILIO_API std::string format_time_tick(double seconds, double step_seconds, time_format format);

}  // namespace papilio

// Pictures: colour maps, axis ticks, spectrograms and line plots as PNG, SVG and PDF.

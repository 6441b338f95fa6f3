#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/render/picture_format.hpp"
#include "papilio/render/spectrogram_picture.hpp"

namespace papilio {

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

}  // namespace papilio

#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "papilio/render.hpp"
#include "render/axis.hpp"

namespace papilio::render_detail {

/// A value that can be drawn.
inline bool is_drawable(double value) { return std::abs(value) <= 1e300; }

inline double x_of(const line_curve& curve, std::size_t i) {
  return curve.x.empty() ? curve.first_x + static_cast<double>(i) * curve.step_x : curve.x[i];
}

/// Both axes of a plot; a logarithmic axis is one of log10 of the values.
struct plot_axes {
  axis x, y;
  axis_scale x_scale, y_scale;
};

/// A curve's lines, one after the other, in pixels from the plot's lower left corner, y upwards.
using line_path = std::vector<std::vector<point>>;

/// Neighbouring points in the same 1/cells_per_pixel of a pixel column are reduced to the first,
/// the lowest, the highest and the last of them. Gaps end a line.
line_path path_of(const line_curve& curve, const plot_axes& axes, double cells_per_pixel);

/// Returns where a point stands, in pixels from the plot's lower left corner, y upwards. None if it
/// cannot be drawn or is beyond an axis's ends.
std::optional<point> place_within(double x, double y, const plot_axes& axes);

/// Ranges of the axes, as given or around all that can be drawn. `length` in pixels.
plot_axes axes_of(const line_plot& plot, double x_length, double y_length);

/// A lane's bars in pixels from the plot's left edge, ascending, those that would touch as one.
std::vector<value_range> bars_of(const plot_lane& lane, const plot_axes& axes);

}  // namespace papilio::render_detail

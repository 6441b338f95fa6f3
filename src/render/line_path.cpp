#include "render/line_path.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace papilio::render_detail {
namespace {

// Beyond this many pixels a point is moved nearer: cairo counts in 24 bits before the point.
constexpr double farthest_pixel = 1e6;

/// The points of one cell, as they come.
class cell {
 public:
  void start(const point& p) { first_ = lowest_ = highest_ = last_ = {p, 0}; }

  void add(const point& p) {
    last_ = {p, last_.order + 1};
    if (p.y < lowest_.at.y) lowest_ = last_;
    if (p.y > highest_.at.y) highest_ = last_;
  }

  void append_to(std::vector<point>& line) const {
    std::array<entry, 4> kept{first_, lowest_, highest_, last_};
    if (kept[1].order > kept[2].order) std::swap(kept[1], kept[2]);
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (i == 0 || kept[i].order != kept[i - 1].order) line.push_back(kept[i].at);
  }

 private:
  struct entry {
    point at{};
    std::size_t order = 0;
  };
  entry first_, lowest_, highest_, last_;
};

double position(const axis& a, double value) {
  const double pixels = (value - a.low) / a.span() * a.length;
  return std::clamp(pixels, -farthest_pixel, farthest_pixel);
}

/// Lowest and highest of what it is shown.
struct extremes {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return !(low <= high); }
};

bool is_on(axis_scale scale, double value) {
  return is_drawable(value) && (scale == axis_scale::linear || value > 0);
}

double scaled(axis_scale scale, double value) {
  return scale == axis_scale::logarithmic ? std::log10(value) : value;
}

value_range x_range_of(const line_plot& plot) {
  if (plot.x_range) return *plot.x_range;
  extremes seen;
  for (const line_curve& curve : plot.curves)
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
      const double x = x_of(curve, i);
      if (is_on(plot.x_scale, x) && is_on(plot.y_scale, curve.y[i])) seen.add(x);
    }
  for (const plot_lane& lane : plot.lanes)
    for (const value_range& span : lane.spans)
      for (const double end : {span.low, span.high})
        if (is_on(plot.x_scale, end)) seen.add(end);
  const bool linear = plot.x_scale == axis_scale::linear;
  if (seen.empty()) return linear ? value_range{0, 1} : value_range{1, 10};
  if (!linear) {
    if (seen.high < 1.001 * seen.low) return {seen.low / 2, seen.high * 2};
    return {seen.low, seen.high};
  }
  const double least = std::max(1e-6 * std::max(std::abs(seen.low), std::abs(seen.high)), 1e-290);
  if (seen.high - seen.low >= least) return {seen.low, seen.high};
  const double half = seen.low == 0 && seen.high == 0 ? 1 : 5e5 * least;
  return {seen.low - half, seen.high + half};
}

value_range y_range_of(const line_plot& plot, const value_range& x_range) {
  if (!plot.lanes.empty()) return {0, static_cast<double>(plot.lanes.size())};
  if (plot.y_range) return *plot.y_range;
  extremes seen;
  for (const line_curve& curve : plot.curves)
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
      const double x = x_of(curve, i);
      if (x >= x_range.low && x <= x_range.high && is_on(plot.y_scale, curve.y[i]))
        seen.add(curve.y[i]);
    }
  for (const plot_mark& mark : plot.marks)
    if (mark.x >= x_range.low && mark.x <= x_range.high && is_on(plot.y_scale, mark.y))
      seen.add(mark.y);
  // Names stand above their points.
  const double above = plot.marks.empty() ? 1 : 2.5;
  if (plot.y_scale == axis_scale::logarithmic) {
    if (seen.empty()) return {1, 10};
    const double margin = std::max(1.2, std::pow(seen.high / seen.low, 0.05));
    return {seen.low / margin, seen.high * std::pow(margin, above)};
  }
  if (seen.empty()) return {0, 1};
  const double largest = std::max(std::abs(seen.low), std::abs(seen.high));
  const double span = seen.high - seen.low;
  const double margin = span >= std::max(1e-6 * largest, 1e-290) ? 0.05 * span
                        : largest > 0                            ? std::max(0.5 * largest, 1e-290)
                                                                 : 1;
  return {seen.low - margin, seen.high + above * margin};
}

}  // namespace

line_path path_of(const line_curve& curve, const plot_axes& axes, double cells_per_pixel) {
  line_path path;
  cell current;
  double current_cell = 0;
  bool open = false;
  const auto close = [&] {
    if (open) current.append_to(path.back());
    open = false;
  };
  bool gap = true;
  for (std::size_t i = 0; i < curve.y.size(); ++i) {
    const double x = x_of(curve, i), y = curve.y[i];
    if (!is_on(axes.x_scale, x) || !is_on(axes.y_scale, y)) {
      close();
      gap = true;
      continue;
    }
    const point p{position(axes.x, scaled(axes.x_scale, x)),
                  position(axes.y, scaled(axes.y_scale, y))};
    const double this_cell = std::floor(p.x * cells_per_pixel);
    if (open && !gap && this_cell == current_cell) {
      current.add(p);
      continue;
    }
    close();
    if (gap) path.emplace_back();
    gap = false;
    open = true;
    current.start(p);
    current_cell = this_cell;
  }
  close();
  return path;
}

std::optional<point> place_within(double x, double y, const plot_axes& axes) {
  if (!is_on(axes.x_scale, x) || !is_on(axes.y_scale, y)) return std::nullopt;
  const point p{position(axes.x, scaled(axes.x_scale, x)),
                position(axes.y, scaled(axes.y_scale, y))};
  const bool within = p.x >= 0 && p.x <= axes.x.length && p.y >= 0 && p.y <= axes.y.length;
  return within ? std::optional(p) : std::nullopt;
}

plot_axes axes_of(const line_plot& plot, double x_length, double y_length) {
  const value_range x = x_range_of(plot), y = y_range_of(plot, x);
  const auto axis_over = [](axis_scale scale, const value_range& r, double length) {
    return axis{scaled(scale, r.low), scaled(scale, r.high), length};
  };
  return {axis_over(plot.x_scale, x, x_length), axis_over(plot.y_scale, y, y_length), plot.x_scale,
          plot.y_scale};
}

std::vector<value_range> bars_of(const plot_lane& lane, const plot_axes& axes) {
  constexpr double least_gap = 0.25;
  std::vector<value_range> bars;
  for (const value_range& span : lane.spans)
    if (is_on(axes.x_scale, span.low) && is_on(axes.x_scale, span.high))
      bars.push_back({position(axes.x, scaled(axes.x_scale, span.low)),
                      position(axes.x, scaled(axes.x_scale, span.high))});
  std::ranges::sort(bars, {}, &value_range::low);
  std::size_t kept = 0;
  for (const value_range& bar : bars) {
    if (kept > 0 && bar.low - bars[kept - 1].high < least_gap)
      bars[kept - 1].high = std::max(bars[kept - 1].high, bar.high);
    else
      bars[kept++] = bar;
  }
  bars.resize(kept);
  return bars;
}

}  // namespace papilio::render_detail

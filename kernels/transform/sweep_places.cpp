#include "kernels/transform/sweep_places.hpp"

#include <algorithm>
#include <utility>

namespace papilio::kernels_detail {
namespace {

std::vector<std::int64_t> axis_extents(const transform_formula& f, bool bins) {
  if (!f.extents.empty()) return f.extents;
  return {bins ? f.bins() : f.n()};
}

// Addresses of all numbers from the steps of their axes: the last axis counts fastest in points,
// the first one in bins.
std::vector<std::int64_t> places_of(const transform_formula& f,
                                    const std::vector<std::int64_t>& steps, bool bins) {
  const std::vector<std::int64_t> extents = axis_extents(f, bins);
  std::vector<std::int64_t> places{0};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t a = bins ? extents.size() - 1 - i : i;
    std::vector<std::int64_t> next;
    for (const std::int64_t at : places)
      for (std::int64_t v = 0; v < extents[a]; ++v) next.push_back(at + v * steps[a]);
    places = std::move(next);
  }
  return places;
}

}  // namespace

std::vector<packed_axis> packed(const transform_sweep& s, const sweep_end& end, bool bins) {
  const std::vector<std::int64_t> extents = axis_extents(s.formula, bins);
  std::vector<packed_axis> axes;
  for (std::size_t a = 0; a < extents.size(); ++a) axes.push_back({extents[a], end.axes[a], 0});
  std::ranges::stable_sort(axes, std::ranges::greater{}, &packed_axis::hbm);
  std::int64_t step = 1;
  for (std::size_t a = axes.size(); a-- > 0; step *= axes[a].extent) axes[a].tile = step;
  return axes;
}

line_layout layout_of(const transform_sweep& s, const sweep_end& end, bool bins) {
  line_layout layout{.plane = end.plane};
  std::vector<std::int64_t> steps = end.axes;
  if (!end.on_partitions) {
    layout.plane = bins ? s.formula.bins() : s.formula.n();
    for (const packed_axis& axis : packed(s, end, bins))
      std::ranges::replace(steps, axis.hbm, -axis.tile);
    for (std::int64_t& step : steps) step = -step;
  }
  layout.places = places_of(s.formula, steps, bins);
  if (end.mirrored_from > 0) {
    layout.mirrored_from = end.mirrored_from;
    layout.descending = s.rows() == nullptr;
    for (std::size_t k = std::size_t(end.mirrored_from); k < layout.places.size(); ++k)
      layout.places[k] = (end.mirror - std::int64_t(k)) * end.axes[0];
  }
  return layout;
}

}  // namespace papilio::kernels_detail

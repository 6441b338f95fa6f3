#pragma once

#include <optional>
#include <vector>

#include "render/legend.hpp"

namespace papilio::render_detail {

/// A mark of a plot in its place.
struct placed_mark {
  point dot;
  box where;  ///< of the name
  std::string name;
  std::size_t color;
  bool has_leader;  ///< a line from the dot to a name that stands apart
};

/// Marks of the plot that find room, clear of each other and of the legend.
std::vector<placed_mark> place_marks(const text_ruler& ruler, const line_plot_layout& l,
                                     const line_plot& plot, const std::vector<line_path>& paths,
                                     const std::optional<plot_legend>& legend);

void draw_marks(drawing& sheet, const line_plot_layout& l, const line_plot& plot,
                const std::vector<placed_mark>& marks);

}  // namespace papilio::render_detail

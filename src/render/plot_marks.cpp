#include "render/plot_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace papilio::render_detail {
namespace {

// A name beside a dot stands clear of one above it: half the height is less than the gap.
constexpr double mark_name_ems = 0.9, mark_height_ems = 1.1, mark_gap_ems = 0.56;
constexpr int most_rows_up = 3;

bool overlap(const box& a, const box& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

/// The square that a dot takes.
box around(const point& dot, double size) {
  return {dot.x - size / 2, dot.y - size / 2, size, size};
}

struct candidate {
  box where;
  bool has_leader;
};

/// Places of a name, the best first: above the dot, moved along but still over it, to the right and
/// the left, and further up.
std::vector<candidate> candidates_of(const point& dot, double width, const line_plot_layout& l) {
  const double height = mark_height_ems * l.em, gap = mark_gap_ems * l.em;
  const auto along = [&](double share) {
    return std::clamp(dot.x - share * width, l.left(), std::max(l.left(), l.right() - width));
  };
  std::vector<candidate> found;
  const auto add_row = [&](double top, bool has_leader) {
    for (const double share : {0.5, 0.05, 0.95})
      found.push_back({{along(share), top, width, height}, has_leader});
  };
  add_row(dot.y - gap - height, false);
  found.push_back({{dot.x + gap, dot.y - height / 2, width, height}, false});
  found.push_back({{dot.x - gap - width, dot.y - height / 2, width, height}, false});
  for (int row = 1; row <= most_rows_up; ++row) add_row(dot.y - gap - (row + 1) * height, true);
  return found;
}

}  // namespace

std::vector<placed_mark> place_marks(const text_ruler& ruler, const line_plot_layout& l,
                                     const line_plot& plot, const std::vector<line_path>& paths,
                                     const std::optional<plot_legend>& legend) {
  std::vector<placed_mark> placed;
  const double dot_size = 4 * curve_width(l);
  const auto is_clear = [&](const box& b) {
    const bool inside = b.left >= l.left() && b.right() <= l.right() && b.top >= l.top() &&
                        b.bottom() <= l.bottom();
    return inside && !(legend && overlap(b, legend->where)) &&
           std::ranges::none_of(placed, [&](const placed_mark& other) {
             return overlap(b, other.where) || overlap(b, around(other.dot, dot_size));
           });
  };
  const auto is_clear_place = [&](const candidate& c, const point& dot) {
    const double gap = mark_gap_ems * l.em;
    const double end = std::clamp(dot.x, c.where.left + gap, c.where.right() - gap);
    const box leader{std::min(dot.x, end), c.where.bottom(), std::abs(end - dot.x) + 1,
                     dot.y - c.where.bottom()};
    return is_clear(c.where) && (!c.has_leader || std::ranges::none_of(placed, [&](const auto& p) {
             return overlap(leader, p.where);
           }));
  };
  for (const plot_mark& mark : plot.marks) {
    const std::optional<point> at = place_within(mark.x, mark.y, l.axes);
    if (!at) continue;
    const point dot{l.left() + at->x, l.bottom() - at->y};
    const box of_dot = around(dot, dot_size);
    if (std::ranges::any_of(placed, [&](const placed_mark& p) { return overlap(of_dot, p.where); }))
      continue;
    const double width =
        ruler.text_width(mark.name, mark_name_ems * l.em) + 2 * mark_gap_ems * l.em;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    std::optional<candidate> best;
    for (const candidate& c : candidates_of(dot, width, l)) {
      if (least == 0) break;
      if (!is_clear_place(c, dot)) continue;
      const std::size_t hidden = pieces_under(c.where, l, paths);
      if (hidden >= least) continue;
      least = hidden;
      best = c;
    }
    if (best) placed.push_back({dot, best->where, mark.name, mark.color, best->has_leader});
  }
  return placed;
}

void draw_marks(drawing& sheet, const line_plot_layout& l, const line_plot& plot,
                const std::vector<placed_mark>& marks) {
  const theme_colors theme = colors_of(plot.theme, "draw_marks");
  for (const placed_mark& mark : marks) {
    const box& b = mark.where;
    sheet.set_color(theme.edge);
    if (mark.has_leader) {
      const double gap = mark_gap_ems * l.em;
      const std::array<point, 2> leader{
          {{std::clamp(mark.dot.x, b.left + gap, b.right() - gap), b.bottom()}, mark.dot}};
      sheet.polyline(leader, l.line);
    }
    sheet.set_color(theme.paper, 0.75);
    sheet.fill(b.left, b.top, b.width, b.height);
    sheet.set_color(style_of(mark.color, plot.theme).color);
    sheet.polyline({&mark.dot, 1}, 4 * curve_width(l));
    sheet.set_color(theme.ink);
    const double size = mark_name_ems * l.em;
    sheet.text(mark.name, b.left + b.width / 2, b.top + b.height / 2 + sheet.digit_height(size) / 2,
               anchor::middle, size);
  }
}

}  // namespace papilio::render_detail

#include "render/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace papilio::render_detail {
namespace {

// Okabe, M., Ito, K. (2008), "Color Universal Design", in an order of falling contrast on white.
constexpr std::array<rgb, 8> colors{{{0x00, 0x72, 0xb2},
                                     {0xd5, 0x5e, 0x00},
                                     {0x00, 0x9e, 0x73},
                                     {0xcc, 0x79, 0xa7},
                                     {0x1a, 0x1a, 0x1a},
                                     {0x56, 0xb4, 0xe9},
                                     {0xe6, 0x9f, 0x00},
                                     {0x80, 0x80, 0x80}}};
// These colours and the yellow of the source, made lighter where a dark background needs it.
constexpr std::array<rgb, 8> colors_on_dark{{{0x56, 0xb4, 0xe9},
                                             {0xe6, 0x9f, 0x00},
                                             {0x2f, 0xc0, 0x97},
                                             {0xf0, 0xe4, 0x42},
                                             {0xe0, 0x93, 0xc1},
                                             {0xe6, 0xe6, 0xe6},
                                             {0xff, 0x7d, 0x33},
                                             {0x99, 0x99, 0x99}}};
constexpr std::array<double, 2> dashes{5, 3};
constexpr std::array<double, 4> dots_and_dashes{6, 2.5, 1.5, 2.5};

constexpr double row_ems = 1.45, sample_ems = 1.8, gap_ems = 0.5, inside_ems = 0.5;

std::string name_of(const line_curve& curve, std::size_t index) {
  return curve.name.empty() ? fmt::format("curve {}", index + 1) : curve.name;
}

box emptiest_corner(double width, double height, const line_plot_layout& l,
                    const std::vector<line_path>& paths) {
  const double margin = 0.6 * l.em;
  const double left = l.left() + margin, right = l.right() - margin - width;
  const double top = l.top() + margin, bottom = l.bottom() - margin - height;
  const std::array<box, 4> corners{{{right, top, width, height},
                                    {left, top, width, height},
                                    {right, bottom, width, height},
                                    {left, bottom, width, height}}};
  std::array<std::size_t, 4> cost{};
  std::ranges::transform(corners, cost.begin(),
                         [&](const box& b) { return pieces_under(b, l, paths); });
  return corners[static_cast<std::size_t>(std::ranges::min_element(cost) - cost.begin())];
}

}  // namespace

std::size_t pieces_under(const box& b, const line_plot_layout& l,
                         const std::vector<line_path>& paths) {
  const double left = b.left - l.left(), right = left + b.width;
  const double high = l.bottom() - b.top, low = high - b.height;
  std::size_t count = 0;
  for (const line_path& path : paths)
    for (const std::vector<point>& line : path)
      for (std::size_t i = 0; i < line.size(); ++i) {
        const point& p = line[i == 0 ? 0 : i - 1];
        const point& q = line[i];
        count += std::min(p.x, q.x) < right && std::max(p.x, q.x) > left &&
                 std::min(p.y, q.y) < high && std::max(p.y, q.y) > low;
      }
  return count;
}

line_style style_of(std::size_t index, picture_theme theme) {
  const std::size_t turn = index / colors.size() % 3;
  const std::span<const double> pattern = turn == 0   ? std::span<const double>()
                                          : turn == 1 ? std::span<const double>(dashes)
                                                      : std::span<const double>(dots_and_dashes);
  const auto& of = theme == picture_theme::dark ? colors_on_dark : colors;
  return {of[index % of.size()], pattern};
}

double curve_width(const line_plot_layout& l) { return std::max(1.0, 0.095 * l.em); }

plot_legend place_legend(const text_ruler& ruler, const line_plot_layout& l, const line_plot& plot,
                         const std::vector<line_path>& paths) {
  const std::vector<line_curve>& curves = plot.curves;
  const double em = l.em, row = row_ems * em, inside = inside_ems * em;
  plot_legend legend{.text_left = inside + (sample_ems + gap_ems) * em};
  legend.room = std::max(0.0, 0.5 * l.axes.x.length - legend.text_left - inside);
  const double available = l.axes.y.length - 1.2 * em - 2 * inside;
  const auto rows = static_cast<std::size_t>(std::max(1.0, available / row));
  legend.named = curves.size() <= rows ? curves.size() : rows - 1;
  std::vector<std::string>& names = legend.names;
  for (std::size_t i = 0; i < legend.named; ++i) names.push_back(name_of(curves[i], i));
  if (legend.named < curves.size())
    names.push_back(fmt::format("and {} more", curves.size() - legend.named));
  double widest_name = 0;
  for (const std::string& name : names)
    widest_name = std::max(widest_name, ruler.text_width(name, em, legend.room));
  const double height = static_cast<double>(names.size()) * row + 2 * inside - 0.45 * em;
  legend.where = emptiest_corner(legend.text_left + widest_name + inside, height, l, paths);
  return legend;
}

void draw_legend(drawing& sheet, const line_plot_layout& l, const line_plot& plot,
                 const plot_legend& legend) {
  const theme_colors theme = colors_of(plot.theme, "draw_legend");
  const double em = l.em, inside = inside_ems * em, line = curve_width(l);
  const box& b = legend.where;
  sheet.set_color(theme.paper, 0.85);
  sheet.fill(b.left, b.top, b.width, b.height);
  for (std::size_t i = 0; i < legend.names.size(); ++i) {
    const double middle = b.top + inside + (static_cast<double>(i) * row_ems + 0.5) * em;
    if (i < legend.named) {
      const line_style style = style_of(i, plot.theme);
      sheet.set_color(style.color);
      const std::array<point, 2> sample{
          {{b.left + inside, middle}, {b.left + inside + sample_ems * em, middle}}};
      std::vector<double> lengths(style.dashes.begin(), style.dashes.end());
      for (double& length : lengths) length *= line;
      sheet.polyline(sample, 1.5 * line, lengths);
    }
    sheet.set_color(theme.ink);
    sheet.text(legend.names[i], b.left + legend.text_left, middle + sheet.digit_height(em) / 2,
               anchor::start, em, legend.room);
  }
  sheet.set_color(theme.edge);
  draw_frame(sheet, b.left, b.top, b.width, b.height, l.line);
}

}  // namespace papilio::render_detail

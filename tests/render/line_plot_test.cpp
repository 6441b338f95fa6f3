// Curves in their places, none of their extremes lost, and files of three formats.

#include "papilio/render.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "support/decoded_png.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

using test::decode_png;
using test::decoded_png;
using test::inked;

constexpr std::size_t width = 500, height = 300;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct extent {
  std::size_t left, top, right, bottom;  // of the plot, within its frame
};

bool is_dark(const rgb& c) { return c.red < 0x60 && c.green < 0x60 && c.blue < 0x60; }

/// Blue, as the first curve is: not grey.
bool is_curve(const rgb& c) { return c.blue > c.red + 60; }

/// The frame: the rows and columns that are dark over the most pixels.
extent frame_of(const decoded_png& p) {
  std::vector<std::size_t> rows(p.height), columns(p.width);
  for (std::size_t y = 0; y < p.height; ++y)
    for (std::size_t x = 0; x < p.width; ++x)
      if (is_dark(p.at(x, y))) {
        ++rows[y];
        ++columns[x];
      }
  // Ticks make some of them longer than others.
  const auto is_side = [](const std::vector<std::size_t>& counts, std::size_t i) {
    return 10 * counts[i] > 9 * *std::ranges::max_element(counts);
  };
  const auto first = [&](const std::vector<std::size_t>& counts) {
    std::size_t i = 0;
    while (!is_side(counts, i)) ++i;
    return i;
  };
  const auto last = [&](const std::vector<std::size_t>& counts) {
    std::size_t i = counts.size() - 1;
    while (!is_side(counts, i)) --i;
    return i;
  };
  return {first(columns) + 1, first(rows) + 1, last(columns), last(rows)};
}

line_plot plot_of(std::vector<line_curve> curves) {
  return {.curves = std::move(curves),
          .y_range = value_range{-100, 0},
          .title = "Title",
          .x_quantity = "Frequency",
          .x_unit = "Hz",
          .y_quantity = "Level",
          .y_unit = "dB",
          .width = width,
          .height = height};
}

decoded_png drawn(const line_plot& plot) {
  return decode_png(line_plot_image(plot, picture_format::png));
}

/// The topmost pixel of the curve in a column, from the plot's upper edge; its height if none is.
std::size_t top_of(const decoded_png& p, const extent& e, std::size_t x) {
  for (std::size_t y = e.top; y < e.bottom; ++y)
    if (is_curve(p.at(x, y))) return y - e.top;
  return e.bottom - e.top;
}

std::string text_of(const std::vector<std::byte>& file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

TEST(line_plot, everything_is_drawn_and_nothing_is_clipped) {
  const std::vector<double> y{-50, -40, -60};
  for (const auto& [w, h] :
       {std::pair<std::size_t, std::size_t>{300, 200}, {301, 900}, {2000, 200}, {1280, 640}})
    for (const axis_scale scale : {axis_scale::linear, axis_scale::logarithmic}) {
      SCOPED_TRACE(std::to_string(w) + " x " + std::to_string(h));
      line_plot plot = plot_of({{.y = y, .first_x = 20, .step_x = 10000}});
      plot.x_scale = scale;
      plot.width = w;
      plot.height = h;
      const decoded_png p = drawn(plot);
      ASSERT_EQ(p.width, w);
      ASSERT_EQ(p.height, h);
      const extent e = frame_of(p);
      EXPECT_GT(inked(p, e.left, 0, e.right, e.top - 4), 20u) << "title";
      EXPECT_GT(inked(p, 0, e.top, e.left - 8, e.bottom), 50u) << "y axis";
      EXPECT_GT(inked(p, e.left, e.bottom + 5, e.right, h), 50u) << "x axis";
      EXPECT_EQ(inked(p, 0, 0, 2, h) + inked(p, w - 2, 0, w, h) + inked(p, 0, 0, w, 2) +
                    inked(p, 0, h - 2, w, h),
                0u)
          << "border";
      EXPECT_GT(e.right - e.left, w / 2);
      EXPECT_GT(e.bottom - e.top, h / 2);
    }
}

TEST(line_plot, a_level_stands_at_its_height) {
  const std::vector<double> y(100, -25.0);
  const decoded_png p = drawn(plot_of({{.y = y}}));
  const extent e = frame_of(p);
  const double expected = 0.25 * static_cast<double>(e.bottom - e.top);
  for (std::size_t x = e.left + 2; x < e.right - 2; x += 7)
    EXPECT_NEAR(static_cast<double>(top_of(p, e, x)), expected, 2) << x;
}

TEST(line_plot, a_single_peak_among_a_million_points_shows_in_its_column) {
  constexpr std::size_t points = 1'000'000;
  std::vector<double> y(points, -90.0);
  for (const std::size_t at : {std::size_t{5}, std::size_t{333'333}, points - 2}) {
    y[at] = -10;
    const decoded_png p = drawn(plot_of({{.y = y}}));
    y[at] = -90;
    const extent e = frame_of(p);
    const double rows = static_cast<double>(e.bottom - e.top);
    const std::size_t column = e.left + at * (e.right - e.left) / points;
    std::size_t top = e.bottom;
    for (std::size_t x = column - 1; x <= std::min(column + 1, e.right - 1); ++x)
      top = std::min(top, top_of(p, e, x));
    EXPECT_NEAR(static_cast<double>(top), 0.1 * rows, 2) << at;
  }
}

TEST(line_plot, a_dip_shows_too) {
  std::vector<double> y(300'000, -20.0);
  y[150'100] = -95;
  const decoded_png p = drawn(plot_of({{.y = y}}));
  const extent e = frame_of(p);
  const std::size_t middle = (e.left + e.right) / 2, low = e.top + (e.bottom - e.top) * 9 / 10;
  std::size_t found = 0;
  for (std::size_t x = middle - 2; x <= middle + 2; ++x) found += is_curve(p.at(x, low));
  EXPECT_GE(found, 1u);
  EXPECT_LE(found, 3u);
}

TEST(line_plot, a_line_goes_on_from_the_last_point_of_a_column) {
  const std::vector<double> x{0, 0.0001, 0.0002, 1}, y{-90, -10, -50, -50};
  const decoded_png p = drawn(plot_of({{.y = y, .x = x}}));
  const extent e = frame_of(p);
  for (const std::size_t column : {e.left + 20, (e.left + e.right) / 2, e.right - 20})
    EXPECT_NEAR(static_cast<double>(top_of(p, e, column)),
                0.5 * static_cast<double>(e.bottom - e.top), 2);
}

TEST(line_plot, what_is_no_number_is_a_gap) {
  std::vector<double> y(1001, -50.0);
  for (std::size_t i = 400; i < 450; ++i) y[i] = nan;
  for (std::size_t i = 450; i < 500; ++i) y[i] = i % 2 == 0 ? infinity : -infinity;
  for (std::size_t i = 500; i < 600; ++i) y[i] = 1e305;
  const decoded_png p = drawn(plot_of({{.y = y}}));
  const extent e = frame_of(p);
  const auto column = [&](double share) {
    return e.left + static_cast<std::size_t>(share * static_cast<double>(e.right - e.left));
  };
  const std::size_t rows = e.bottom - e.top;
  for (const double share : {0.1, 0.39, 0.61, 0.9}) EXPECT_LT(top_of(p, e, column(share)), rows);
  for (const double share : {0.41, 0.45, 0.5, 0.55, 0.59})
    EXPECT_EQ(top_of(p, e, column(share)), rows) << share;
}

TEST(line_plot, decades_are_equally_wide) {
  // Up to 1 kHz low, beyond high: the step stands in the middle of 10 Hz to 100 kHz.
  const std::vector<double> x{10, 999.9, 1000.1, 100'000}, y{-90, -90, -10, -10};
  line_plot plot = plot_of({{.y = y, .x = x}});
  plot.x_scale = axis_scale::logarithmic;
  const decoded_png p = drawn(plot);
  const extent e = frame_of(p);
  const std::size_t middle = (e.left + e.right) / 2, rows = e.bottom - e.top;
  EXPECT_GT(top_of(p, e, middle - 4), rows * 8 / 10);
  EXPECT_LT(top_of(p, e, middle + 4), rows * 2 / 10);
}

TEST(line_plot, what_is_not_positive_is_left_out_of_a_logarithmic_axis) {
  const std::vector<double> x{-5, 0, 1, 10}, y{-10, -10, -50, -50};
  const std::vector<double> positive_x{1, 10}, positive_y{-50, -50};
  line_plot plot = plot_of({{.y = y, .x = x}});
  plot.x_scale = axis_scale::logarithmic;
  const decoded_png all = drawn(plot);
  plot.curves = {{.y = positive_y, .x = positive_x}};
  EXPECT_EQ(all.pixels, drawn(plot).pixels);
}

TEST(line_plot, decades_are_equally_high) {
  // Of 1 to 10^4, 10, 100 and 1000 stand at quarters.
  const std::vector<double> y{-3, 0, 10, 10, 100, 100, 1000, 1000}, x{0, 1, 2, 3, 4, 5, 6, 7};
  line_plot plot = plot_of({{.y = y, .x = x}});
  plot.y_scale = axis_scale::logarithmic;
  plot.y_range = value_range{1, 1e4};
  plot.x_range = value_range{0, 8};
  const decoded_png p = drawn(plot);
  const extent e = frame_of(p);
  const double columns = static_cast<double>(e.right - e.left),
               rows = static_cast<double>(e.bottom - e.top);
  for (const auto& [at, place] : {std::pair(2.5, 0.75), {4.5, 0.5}, {6.5, 0.25}})
    EXPECT_NEAR(
        static_cast<double>(top_of(p, e, e.left + static_cast<std::size_t>(at / 8 * columns))),
        place * rows, 2)
        << at;
  // What is not positive is a gap.
  EXPECT_EQ(top_of(p, e, e.left + static_cast<std::size_t>(0.5 / 8 * columns)), e.bottom - e.top);
}

TEST(line_plot, lanes_have_a_bar_for_each_span) {
  line_plot plot{.lanes = {{.name = "first", .spans = {{0.5, 0.75}, {0, 0.25}}},
                           {.name = "second", .spans = {{0.25, 0.5}}},
                           {.name = "none"}},
                 .x_range = value_range{0, 1},
                 .width = width,
                 .height = height};
  const decoded_png p = drawn(plot);
  const extent e = frame_of(p);
  const auto is_filled = [&](std::size_t lane, double at) {
    const auto x = e.left + static_cast<std::size_t>(at * static_cast<double>(e.right - e.left)),
               y = e.top + (2 * lane + 1) * (e.bottom - e.top) / 6;
    return is_curve(p.at(x, y));
  };
  const bool expected[3][4] = {{true, false, true, false}, {false, true, false, false}, {}};
  for (std::size_t lane = 0; lane < 3; ++lane)
    for (std::size_t part = 0; part < 4; ++part)
      for (const double at : {0.04, 0.21})
        EXPECT_EQ(is_filled(lane, 0.25 * static_cast<double>(part) + at), expected[lane][part])
            << lane << " " << part;
  // The names stand beside them.
  EXPECT_GT(inked(p, 0, e.top, e.left - 8, e.bottom), 50u);
}

TEST(line_plot, lanes_do_not_grow_with_the_spans) {
  line_plot plot{.lanes = {{.name = "many"}}, .width = width, .height = height};
  for (int i = 0; i < 100000; ++i) plot.lanes[0].spans.push_back({i + 0.0, i + 0.5});
  EXPECT_LT(line_plot_image(plot, picture_format::svg).size(), 200u * 1000);
  EXPECT_THROW(line_plot_image({.curves = {{}}, .lanes = {{}}}, picture_format::svg), shape_error);
  plot.lanes.resize(most_plot_lanes + 1);
  EXPECT_THROW(line_plot_image(plot, picture_format::svg), shape_error);
}

TEST(line_plot, curves_do_not_leave_the_frame) {
  const std::vector<double> y{-1e290, 1e290, -1e290, 1e290};
  line_plot plot = plot_of({{.y = y, .first_x = -10, .step_x = 10}});
  plot.x_range = value_range{-1, 11};
  const decoded_png p = drawn(plot);
  const extent e = frame_of(p);
  std::size_t outside = 0;
  for (std::size_t py = 0; py < p.height; ++py)
    for (std::size_t px = 0; px < p.width; ++px) {
      const bool inside = px >= e.left && px < e.right && py >= e.top && py < e.bottom;
      outside += !inside && is_curve(p.at(px, py));
    }
  EXPECT_EQ(outside, 0u);
}

TEST(line_plot, awkward_numbers_are_drawn) {
  const std::vector<std::vector<double>> lines{
      {}, {1}, {nan, nan}, {0, 0}, {1e299, -1e299}, {1e-300, 2e-300}, {5, 5, 5}, {1e9, 1e9 + 1}};
  for (const std::vector<double>& y : lines)
    for (const axis_scale scale : {axis_scale::linear, axis_scale::logarithmic})
      for (const double step : {1.0, 1e-9, -3.0, 0.0, 1e290}) {
        line_plot plot{.curves = {{.y = y, .first_x = 7, .step_x = step}}, .x_scale = scale};
        plot.width = 300;
        plot.height = 200;
        EXPECT_NO_THROW(line_plot_image(plot, picture_format::png)) << step;
      }
}

TEST(line_plot, several_curves_have_a_legend_and_colors_of_their_own) {
  const std::vector<double> low(50, -90.0), high(50, -80.0);
  const line_curve one{.y = low, .name = "one"}, two{.y = high, .name = "two"};
  const decoded_png alone = drawn(plot_of({one})), both = drawn(plot_of({one, two}));
  const extent e = frame_of(both);
  const std::size_t upper_half = (e.top + e.bottom) / 2;
  const auto dark = [&](const decoded_png& p) {
    std::size_t count = 0;
    for (std::size_t y = e.top + 2; y < upper_half; ++y)
      for (std::size_t x = e.left + 2; x < e.right - 2; ++x) count += is_dark(p.at(x, y));
    return count;
  };
  EXPECT_EQ(dark(alone), 0u);
  EXPECT_GT(dark(both), 20u);
  const auto orange = [](const rgb& c) { return c.red > c.blue + 100; };
  EXPECT_EQ(std::ranges::count_if(alone.pixels, orange), 0);
  EXPECT_GT(std::ranges::count_if(both.pixels, orange), 300);
}

TEST(line_plot, marks_are_dots_on_their_points_with_names) {
  std::vector<double> y(101, -90.0);
  y[50] = -30;
  line_plot plot = plot_of({{.y = y}});
  const decoded_png bare = drawn(plot);
  plot.marks = {{.x = 50, .y = -30, .name = "50 Hz"}};
  const decoded_png marked = drawn(plot);
  const extent e = frame_of(marked);
  const auto columns = static_cast<double>(e.right - e.left),
             rows = static_cast<double>(e.bottom - e.top);
  const auto x = e.left + static_cast<std::size_t>(0.5 * columns),
             row = e.top + static_cast<std::size_t>(0.3 * rows);
  EXPECT_TRUE(is_curve(marked.at(x - 1, row - 1)) && is_curve(marked.at(x + 1, row - 1)));
  // The name stands above the dot, where there was nothing.
  const std::size_t before = inked(bare, x - 30, row - 25, x + 30, row - 6);
  EXPECT_GT(inked(marked, x - 30, row - 25, x + 30, row - 6), before + 20);
  // A name beyond the axes, and one where there is no room, are left out with their dots.
  plot.marks = {{.x = 101, .y = -30, .name = "out"},
                {.x = 50, .y = 1, .name = "out"},
                {.x = nan, .y = -30, .name = "out"},
                {.x = 50, .y = -30, .name = std::string(300, 'w')}};
  EXPECT_EQ(drawn(plot).pixels, bare.pixels);
}

TEST(line_plot, names_of_marks_do_not_overlap) {
  const std::vector<double> y(101, -90.0);
  line_plot plot = plot_of({{.y = y}});
  const auto inked_by = [&](std::size_t marks) {
    plot.marks.clear();
    for (std::size_t i = 0; i < marks; ++i)
      plot.marks.push_back({.x = 50 + 0.01 * static_cast<double>(i), .y = -50, .name = "MMMM"});
    const decoded_png p = drawn(plot);
    const extent e = frame_of(p);
    std::size_t dark = 0;
    for (std::size_t row = e.top + 2; row < e.bottom - 2; ++row)
      for (std::size_t x = e.left + 2; x < e.right - 2; ++x) dark += is_dark(p.at(x, row));
    return dark;
  };
  // Equal names have equal ink where none is over another; in the end there is no place left.
  const std::size_t one = inked_by(1), many = inked_by(40);
  ASSERT_GT(one, 20u);
  EXPECT_NEAR(static_cast<double>(inked_by(3)), 3.0 * static_cast<double>(one),
              0.2 * static_cast<double>(one));
  EXPECT_LT(many, 16 * one);
  plot.marks.resize(most_plot_marks + 1);
  EXPECT_THROW(line_plot_image(plot, picture_format::png), shape_error);
}

TEST(line_plot, the_same_plot_is_the_same_picture_in_strips) {
  // So wide that the picture is drawn in several strips.
  std::vector<double> y(5000);
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = -50 + 45 * std::sin(0.01 * static_cast<double>(i));
  line_plot plot = plot_of({{.y = y}});
  plot.width = maximum_picture_side;
  plot.height = 600;
  const decoded_png p = drawn(plot);
  const extent e = frame_of(p);
  for (std::size_t x = e.left + 5; x < e.right - 5; x += 911) {
    const double t = static_cast<double>(x - e.left) / static_cast<double>(e.right - e.left);
    const double level = -50 + 45 * std::sin(0.01 * 4999 * t);
    EXPECT_NEAR(static_cast<double>(top_of(p, e, x)),
                -level / 100 * static_cast<double>(e.bottom - e.top), 3);
  }
}

TEST(line_plot, svg_holds_the_curve_as_a_line_of_its_color) {
  const std::vector<double> y{-50, -40, -60};
  const std::string svg = text_of(line_plot_image(plot_of({{.y = y}}), picture_format::svg));
  EXPECT_EQ(svg.rfind("<?xml", 0), 0u);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("viewBox=\"0 0 500 300\""), std::string::npos);
  EXPECT_NE(svg.find("stroke:rgb(0%,44.70"), std::string::npos);  // 0x0072b2
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

TEST(line_plot, vector_files_do_not_grow_with_the_points) {
  std::vector<double> y(1'000'000);
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = -50 + 40 * std::sin(static_cast<double>(i * i % 1000));
  EXPECT_LT(line_plot_image(plot_of({{.y = y}}), picture_format::svg).size(), 600'000u);
  EXPECT_LT(line_plot_image(plot_of({{.y = y}}), picture_format::pdf).size(), 200'000u);
}

TEST(line_plot, pdf_is_a_whole_page) {
  const std::vector<double> y{-50, -40, -60};
  const std::string pdf = text_of(line_plot_image(plot_of({{.y = y}}), picture_format::pdf));
  EXPECT_EQ(pdf.rfind("%PDF-", 0), 0u);
  EXPECT_NE(pdf.find("/MediaBox [ 0 0 375 225 ]"), std::string::npos);
  EXPECT_NE(pdf.find("%%EOF"), std::string::npos);
}

TEST(write_line_plot, goes_by_the_extension) {
  const test::temporary_directory directory;
  const std::vector<double> y{-50, -40, -60};
  const line_plot plot = plot_of({{.y = y}});
  for (const char* name : {"a.png", "a.SVG", "a.svg"}) {
    write_line_plot(directory / name, plot);
    std::ifstream file(directory / name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string expected = text_of(line_plot_image(plot, picture_format_of(name)));
    // Surfaces are numbered in an SVG: their names may differ.
    EXPECT_TRUE(text.substr(0, 1000) == expected.substr(0, 1000)) << name;
    EXPECT_NEAR(static_cast<double>(text.size()), static_cast<double>(expected.size()), 8) << name;
  }
  EXPECT_THROW(write_line_plot(directory / "a.gif", plot), invalid_argument);
  EXPECT_THROW(write_line_plot(directory / "png", plot), invalid_argument);
}

TEST(write_line_plot, reports_what_cannot_be_written) {
  const std::vector<double> y(1000, -50.0);
  const test::temporary_directory directory;
  for (const char* extension : {".png", ".svg", ".pdf"}) {
    const std::filesystem::path full = directory / ("full" + std::string(extension));
    std::filesystem::create_symlink("/dev/full", full);
    EXPECT_THROW(write_line_plot(full, plot_of({{.y = y}})), io_error) << extension;
    EXPECT_THROW(write_line_plot("/no/such/a" + std::string(extension), plot_of({{.y = y}})),
                 io_error);
  }
}

// The lower half is the picture of the second plot alone but for its left edge, which the first
// one's wide labels move; both axes begin in one column.
TEST(stacked_plots, stand_one_above_the_other) {
  const std::vector<double> y{-100, 0};
  line_plot upper = plot_of({{.y = y}}), lower = plot_of({{.y = y}});
  upper.y_range = value_range{-12345.5, -12345};
  const std::vector<line_plot> both{upper, lower};
  const decoded_png p = decode_png(stacked_plots_image(both, picture_format::png));
  ASSERT_EQ(p.width, width);
  ASSERT_EQ(p.height, 2 * height);
  const auto part = [&](std::size_t top) {
    decoded_png half = p;
    half.height = height;
    half.pixels.assign(p.pixels.begin() + static_cast<std::ptrdiff_t>(top * width),
                       p.pixels.begin() + static_cast<std::ptrdiff_t>((top + height) * width));
    return frame_of(half);
  };
  const extent first = part(0), second = part(height),
               alone = frame_of(decode_png(line_plot_image(lower, picture_format::png)));
  EXPECT_EQ(first.left, second.left);
  EXPECT_EQ(first.right, second.right);
  EXPECT_GT(second.left, alone.left);
  EXPECT_EQ(second.top, alone.top);
  EXPECT_EQ(second.bottom, alone.bottom);
  EXPECT_EQ(stacked_plots_image(std::span(&lower, 1), picture_format::png),
            line_plot_image(lower, picture_format::png));
  EXPECT_FALSE(stacked_plots_image(both, picture_format::svg).empty());
  lower.width = width + 1;
  EXPECT_THROW(stacked_plots_image(std::vector{upper, lower}, picture_format::png),
               invalid_argument);
  EXPECT_THROW(stacked_plots_image({}, picture_format::png), shape_error);
}

TEST(line_plot, refuses_what_cannot_be_drawn) {
  const std::vector<double> y{1, 2, 3}, x{1, 2};
  const auto refused = [&](auto change) {
    line_plot plot = plot_of({{.y = y}});
    change(plot);
    EXPECT_THROW(line_plot_image(plot, picture_format::png), invalid_argument);
  };
  refused([](line_plot& p) { p.width = 299; });
  refused([](line_plot& p) { p.height = 16385; });
  refused([](line_plot& p) { p.y_range = value_range{0, 0}; });
  refused([](line_plot& p) { p.y_range = value_range{0, nan}; });
  refused([](line_plot& p) { p.x_range = value_range{5, 4}; });
  refused([](line_plot& p) { p.x_range = value_range{0, infinity}; });
  refused([](line_plot& p) { p.x_range = value_range{1, 1 + 1e-12}; });
  refused([](line_plot& p) {
    p.x_scale = axis_scale::logarithmic;
    p.x_range = value_range{0, 10};
  });
  refused([](line_plot& p) { p.curves[0].step_x = nan; });
  EXPECT_THROW(line_plot_image({}, picture_format::png), shape_error);
  EXPECT_THROW(line_plot_image(plot_of({{.y = y, .x = x}}), picture_format::svg), shape_error);
}

}  // namespace
}  // namespace papilio

// What a picture may have besides levels and axes: themes, dots an inch, strips, panels side by side,
// waterfalls, marked frequencies, and the labels of notes, Bark and the axes' ends.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/render.hpp"
#include "support/decoded_png.hpp"

namespace papilio {
namespace {

using test::decode_png;
using test::decoded_png;
using test::inked;

const float quiet = -90;
const view<const float, 2> quiet_pixel(&quiet, {1, 1});

spectrogram_picture quiet_picture(std::size_t width = 800, std::size_t height = 500) {
  return {.level_db = quiet_pixel, .high_hz = 1000, .width = width, .height = height};
}

decoded_png drawn(const spectrogram_picture& picture) {
  return decode_png(spectrogram_png(picture));
}

/// Levels [4, 6] that are all different, from -100 dB up.
std::vector<float> ladder() {
  std::vector<float> levels(24);
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = -100 + 4 * static_cast<float>(i);
  return levels;
}

double distance(const rgb& a, const rgb& b) {
  return std::abs(a.red - b.red) + std::abs(a.green - b.green) + std::abs(a.blue - b.blue);
}

TEST(spectrogram_theme, dark_is_light_text_on_near_black) {
  spectrogram_picture picture = quiet_picture();
  picture.title = "title";
  const decoded_png light = drawn(picture);
  picture.theme = picture_theme::dark;
  const decoded_png dark = drawn(picture);
  const plot_extent e = spectrogram_plot_extent(800, 500);
  EXPECT_EQ(light.at(0, 0), (rgb{255, 255, 255}));
  EXPECT_LT(dark.at(0, 0).red + dark.at(0, 0).green + dark.at(0, 0).blue, 90);
  // The same ink in the same places, and the same levels.
  for (std::size_t y = 0; y < light.height; ++y)
    for (std::size_t x = 0; x < light.width; ++x) {
      const bool inside = x >= e.left && x < e.left + e.width && y >= e.top && y < e.top + e.height;
      if (inside) {
        ASSERT_EQ(light.at(x, y), dark.at(x, y)) << x << ' ' << y;
      } else if (x < e.left + e.width) {
        ASSERT_EQ(light.at(x, y) == light.at(0, 0), dark.at(x, y) == dark.at(0, 0))
            << x << ' ' << y;
      }
    }
  EXPECT_EQ(picture_theme_named("dark"), picture_theme::dark);
  EXPECT_EQ(to_string(picture_theme::light), "light");
  EXPECT_THROW(picture_theme_named("blue"), invalid_argument);
}

TEST(spectrogram_theme, line_plots_have_it_too) {
  const std::vector<double> y{0, 1, 0, 1};
  line_plot plot{.curves = {{.y = y}, {.y = y, .first_x = 1}}, .width = 400, .height = 300};
  plot.theme = picture_theme::dark;
  const decoded_png p = decode_png(line_plot_image(plot, picture_format::png));
  EXPECT_LT(p.at(0, 0).red + p.at(0, 0).green + p.at(0, 0).blue, 90);
  std::size_t light = 0;
  for (const rgb& pixel : p.pixels) light += distance(pixel, p.at(0, 0)) > 300;
  EXPECT_GT(light, 500u);
}

std::uint32_t big_endian(const std::vector<std::byte>& file, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(file[at + i]);
  return value;
}

/// Where a chunk's name is in the file; its size if it is not there.
std::size_t chunk(const std::vector<std::byte>& file, const char* name) {
  std::size_t at = 8;
  while (at + 8 <= file.size() && std::memcmp(&file[at + 4], name, 4) != 0)
    at += 12 + big_endian(file, at);
  return std::min(at + 4, file.size());
}

TEST(spectrogram_dpi, is_told_and_scales_the_text) {
  spectrogram_picture picture = quiet_picture(1000, 600);
  EXPECT_GE(chunk(spectrogram_png(picture), "pHYs"), spectrogram_png(picture).size() - 4);
  const plot_extent usual = spectrogram_panel_extents(picture).front();
  picture.width = 2000;
  picture.height = 1200;
  picture.dpi = 192;
  const std::vector<std::byte> file = spectrogram_png(picture);
  const std::size_t at = chunk(file, "pHYs");
  ASSERT_LT(at + 13, file.size());
  EXPECT_EQ(big_endian(file, at + 4), 7559u);  // 192 / 0.0254
  EXPECT_EQ(big_endian(file, at + 8), 7559u);
  EXPECT_EQ(std::to_integer<int>(file[at + 12]), 1);
  // The same picture in pixels half as large, but for rounding.
  const plot_extent fine = spectrogram_panel_extents(picture).front();
  EXPECT_NEAR(static_cast<double>(fine.left), 2.0 * static_cast<double>(usual.left), 8);
  EXPECT_NEAR(static_cast<double>(fine.height), 2.0 * static_cast<double>(usual.height), 12);
  EXPECT_EQ(drawn(picture).at(fine.left + 9, fine.top + 9), color_at(color_map::magma, 56 / 223.0));
  picture.dpi = 20;
  EXPECT_THROW(spectrogram_png(picture), invalid_argument);
}

TEST(spectrogram_dpi, shrinks_pages) {
  const auto svg = [](std::optional<double> dpi) {
    spectrogram_picture picture = quiet_picture(960, 480);
    picture.dpi = dpi;
    const std::vector<std::byte> file = spectrogram_image(picture, picture_format::svg);
    return std::string(reinterpret_cast<const char*>(file.data()), file.size());
  };
  EXPECT_NE(svg({}).find("width=\"960px\""), std::string::npos) << svg({}).substr(0, 300);
  EXPECT_NE(svg(192).find("width=\"480px\""), std::string::npos) << svg(192).substr(0, 300);
}

TEST(spectrogram_waterfall, is_the_picture_turned_over) {
  const std::vector<float> levels = ladder();
  spectrogram_picture picture{.level_db = view<const float, 2>(levels.data(), {4, 6}),
                              .high_hz = 1000,
                              .width = 640,
                              .height = 480};
  picture.waterfall = true;
  const decoded_png p = drawn(picture);
  const plot_extent e = spectrogram_plot_extent(640, 480);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 6; ++column) {
      const std::size_t x = e.left + (2 * row + 1) * e.width / 8;
      const std::size_t y = e.top + (2 * column + 1) * e.height / 12;
      const double step = std::floor((levels[6 * row + column] + 120) / 120 * 224);
      EXPECT_EQ(p.at(x, y), color_at(color_map::magma, step / 223)) << row << ' ' << column;
    }
  picture.strip = spectrogram_strip{{0}, {1}};
  EXPECT_THROW(spectrogram_png(picture), invalid_argument);
}

TEST(spectrogram_panels_side_by_side, stand_from_left_to_right) {
  const float loud = -10;
  const view<const float, 2> loud_pixel(&loud, {1, 1});
  spectrogram_picture picture{.panels = {{quiet_pixel, "one"}, {loud_pixel, "two"}},
                              .arrangement = panel_arrangement::side_by_side,
                              .width = 900,
                              .height = 400};
  const std::vector<plot_extent> e = spectrogram_panel_extents(picture);
  ASSERT_EQ(e.size(), 2u);
  EXPECT_EQ(e[0].top, e[1].top);
  EXPECT_EQ(e[0].width, e[1].width);
  EXPECT_EQ(e[0].height, e[1].height);
  EXPECT_GT(e[1].left, e[0].left + e[0].width + 10);
  const decoded_png p = drawn(picture);
  EXPECT_EQ(p.at(e[0].left + e[0].width - 1, e[0].top), color_at(color_map::magma, 56 / 223.0));
  EXPECT_EQ(p.at(e[1].left, e[1].top), color_at(color_map::magma, 205 / 223.0));
  // Both have a time axis, and a name above them.
  for (const plot_extent& panel : e) {
    const std::size_t bottom = panel.top + panel.height;
    EXPECT_GT(inked(p, panel.left, bottom + 5, panel.left + panel.width, bottom + 25), 50u);
    EXPECT_GT(inked(p, panel.left, panel.top - 18, panel.left + 40, panel.top - 3), 20u);
  }
  picture.panels.resize(60, {quiet_pixel, "many"});
  EXPECT_THROW(spectrogram_png(picture), invalid_argument);
}

TEST(spectrogram_strip, is_filled_between_its_curves) {
  spectrogram_picture picture = quiet_picture(800, 500);
  const plot_extent alone = spectrogram_panel_extents(picture).front();
  spectrogram_strip strip{.low = -1, .high = 1};
  for (int i = 0; i < 100; ++i) {
    strip.lower.push_back(i < 50 ? -0.5f : 0.25f);
    strip.upper.push_back(i < 50 ? 0.5f : 0.75f);
  }
  strip.upper[99] = NAN;
  picture.strip = strip;
  const plot_extent e = spectrogram_panel_extents(picture).front();
  EXPECT_EQ(e.width, alone.width);
  EXPECT_EQ(e.top, alone.top);
  EXPECT_LT(e.height + 40, alone.height);
  const decoded_png p = drawn(picture);
  // The strip ends where the plot ends without one.
  const std::size_t bottom = alone.top + alone.height;
  std::size_t top = bottom - 2;
  const std::size_t first = e.left + 1, last = e.left + e.width - 1;
  while (inked(p, last - 2, top - 1, last - 1, top) == 0) --top;  // up to the frame
  const auto share_at = [&](std::size_t x) {
    std::vector<double> ends;
    for (std::size_t y = top; y < bottom - 1; ++y)
      if (inked(p, x, y, x + 1, y + 1) > 0) {
        const double up =
            1 - (static_cast<double>(y - top) + 0.5) / static_cast<double>(bottom - top);
        if (ends.empty()) ends = {up, up};
        ends[1] = up;
      }
    return ends;
  };
  const double pixel = 1.5 / static_cast<double>(bottom - top);
  const std::vector<double> left = share_at(first + e.width / 4),
                            right = share_at(first + 3 * e.width / 4);
  ASSERT_EQ(left.size(), 2u);
  ASSERT_EQ(right.size(), 2u);
  EXPECT_NEAR(left[0], 0.75, pixel);
  EXPECT_NEAR(left[1], 0.25, pixel);
  EXPECT_NEAR(right[0], 0.875, pixel);
  EXPECT_NEAR(right[1], 0.625, pixel);
  picture.strip->upper.pop_back();
  EXPECT_THROW(spectrogram_png(picture), shape_error);
  picture.strip = spectrogram_strip{{0}, {1}, 1, 1};
  EXPECT_THROW(spectrogram_png(picture), invalid_argument);
}

/// Rows, from below, with a tick long enough for a label.
std::vector<double> labelled_places(const decoded_png& p, const plot_extent& e) {
  std::vector<double> places;
  for (std::size_t up = 0; up < e.height; ++up) {
    const std::size_t y = e.top + e.height - 1 - up;
    if (inked(p, e.left - 5, y, e.left - 4, y + 1) == 0) continue;
    places.push_back((static_cast<double>(up) + 0.5) / static_cast<double>(e.height));
  }
  return places;
}

void expect_places(const spectrogram_picture& picture, const std::vector<double>& expected) {
  const plot_extent e = spectrogram_plot_extent(picture.width, picture.height);
  const std::vector<double> places = labelled_places(drawn(picture), e);
  ASSERT_EQ(places.size(), expected.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    EXPECT_NEAR(places[i], expected[i], 2.0 / static_cast<double>(e.height)) << i;
}

TEST(spectrogram_scale, notes_are_labelled_at_c_where_octaves_are_narrow) {
  spectrogram_picture picture = quiet_picture(800, 300);
  picture.scale = frequency_scale::notes;
  picture.low_hz = 30;
  picture.high_hz = 9000;
  std::vector<double> places;  // C1 to C9, of A4 = 440 Hz
  for (int octave = 1; octave <= 9; ++octave)
    places.push_back(std::log(440 * std::pow(2.0, octave - 4 - 9.0 / 12) / 30) / std::log(300));
  expect_places(picture, places);
}

TEST(spectrogram_scale, all_semitones_of_a_wide_octave) {
  spectrogram_picture picture = quiet_picture(800, 500);
  picture.scale = frequency_scale::notes;
  picture.low_hz = 430;
  picture.high_hz = 900;
  std::vector<double> places;
  for (int semitone = 0; semitone <= 12; ++semitone)
    places.push_back(std::log(440 * std::pow(2.0, semitone / 12.0) / 430) / std::log(900.0 / 430));
  expect_places(picture, places);
}

TEST(spectrogram_scale, bark_is_even_below_600_hz_and_in_octaves_above) {
  spectrogram_picture picture = quiet_picture(800, 500);
  picture.scale = frequency_scale::bark;
  picture.high_hz = 20000;
  const auto place = [](double hz) { return std::asinh(hz / 600) / std::asinh(20000 / 600.0); };
  expect_places(picture, {0.5 / 400, place(100), place(200), place(500), place(1000), place(2000),
                          place(5000), place(10000), 1});
}

TEST(spectrogram_ends, are_labelled_where_there_is_room) {
  spectrogram_picture picture = quiet_picture(800, 500);
  picture.high_hz = 11025;  // no room for 11.025 beside 11
  picture.low_hz = 0;
  const plot_extent e = spectrogram_plot_extent(800, 500);
  const std::size_t even = labelled_places(drawn(picture), e).size();
  picture.high_hz = 11700;
  EXPECT_EQ(labelled_places(drawn(picture), e).size(), even + 1);
  picture.duration_seconds = 7.45;
  const decoded_png p = drawn(picture);
  // A long tick at the right end of the time axis, and its label.
  const std::size_t right = e.left + e.width - 1, bottom = e.top + e.height;
  EXPECT_GT(inked(p, right - 1, bottom + 4, right + 1, bottom + 5), 0u);
  EXPECT_GT(inked(p, right - 10, bottom + 9, right + 12, bottom + 22), 20u);
}

TEST(spectrogram_marks, are_dotted_lines_with_names) {
  spectrogram_picture picture = quiet_picture(800, 500);
  picture.marks = {{250, "quarter"}, {255, "beside it"}, {5000, "off the axis"}, {700, ""}};
  const decoded_png p = drawn(picture);
  picture.marks.clear();
  const decoded_png bare = drawn(picture);
  const plot_extent e = spectrogram_plot_extent(800, 500);
  std::vector<std::size_t> changed(e.height);
  for (std::size_t y = 0; y < p.height; ++y)
    for (std::size_t x = 0; x < p.width; ++x) {
      if (p.at(x, y) == bare.at(x, y)) continue;
      ASSERT_TRUE(x >= e.left && x < e.left + e.width && y >= e.top && y < e.top + e.height);
      ++changed[e.top + e.height - 1 - y];
    }
  const auto row = [&](double place) {
    return static_cast<std::size_t>(place * static_cast<double>(e.height));
  };
  const auto dots_near = [&](double place) {
    return std::max({changed[row(place) - 1], changed[row(place)], changed[row(place) + 1]});
  };
  EXPECT_GT(dots_near(0.25), e.width / 4);
  EXPECT_GT(dots_near(0.255), e.width / 4);
  EXPECT_NEAR(static_cast<double>(dots_near(0.7)), 0.4 * static_cast<double>(e.width), 3);
  EXPECT_EQ(changed[row(0.5)], 0u);
  // Both names stand beside each other: half the letters' height above their lines.
  EXPECT_GT(changed[row(0.25) + 4], 100u);
  picture.marks.assign(101, {});
  EXPECT_THROW(spectrogram_png(picture), invalid_argument);
}

// Eight columns have a steady frequency, a gap, a step that is too long for a line, and what the axis
// has not.
TEST(spectrogram_curve, is_light_between_dark_edges_with_gaps) {
  spectrogram_picture picture = quiet_picture(800, 500);
  picture.curve_hz = {250, 250, std::nanf(""), 500, 500, 800, 800, 5000};
  for (const bool waterfall : {false, true}) {
    picture.waterfall = waterfall;
    const decoded_png p = drawn(picture);
    const plot_extent e = spectrogram_plot_extent(800, 500);
    const std::size_t along = waterfall ? e.height : e.width,
                      across = waterfall ? e.width : e.height;
    // Pixels that are lighter than half the paper, by their place on the frequency axis.
    const auto light = [&](std::size_t t) {
      std::vector<std::size_t> places;
      for (std::size_t f = 0; f < across; ++f) {
        const rgb& c =
            waterfall ? p.at(e.left + f, e.top + t) : p.at(e.left + t, e.top + e.height - 1 - f);
        if (c.red + c.green + c.blue > 3 * 128) places.push_back(f);
      }
      return places;
    };
    for (std::size_t column = 0; column < 8; ++column) {
      const double hz = picture.curve_hz[column];
      const std::vector<std::size_t> places = light((2 * column + 1) * along / 16);
      if (!(hz <= 1000)) {
        EXPECT_TRUE(places.empty()) << column;
        continue;
      }
      ASSERT_GE(places.size(), 2u) << column;
      EXPECT_LE(places.size(), 4u) << column;
      for (const std::size_t f : places)
        EXPECT_NEAR(static_cast<double>(f), hz / 1000 * static_cast<double>(across), 3) << column;
    }
  }
  picture.curve_hz = {600, 720};  // near enough for a line
  picture.waterfall = false;
  const decoded_png joined = drawn(picture);
  const plot_extent e = spectrogram_plot_extent(800, 500);
  const rgb& between = joined.at(e.left + e.width / 2, e.top + e.height * 34 / 100);
  EXPECT_GT(between.red + between.green + between.blue, 3 * 128);
  picture.curve_hz.assign((std::size_t{1} << 20) + 1, 1);
  EXPECT_THROW(spectrogram_png(picture), invalid_argument);
}

TEST(spectrogram_marks, times_are_dotted_lines_across) {
  spectrogram_picture picture = quiet_picture(800, 500);
  const decoded_png bare = drawn(picture);
  const plot_extent e = spectrogram_plot_extent(800, 500);
  const auto changed = [&](std::vector<double> places) {
    picture.marked_seconds.clear();
    for (const double place : places)
      picture.marked_seconds.push_back(picture.start_seconds + place * picture.duration_seconds);
    const decoded_png p = drawn(picture);
    std::vector<std::size_t> columns(e.width);
    for (std::size_t y = 0; y < p.height; ++y)
      for (std::size_t x = 0; x < p.width; ++x) {
        if (p.at(x, y) == bare.at(x, y)) continue;
        EXPECT_TRUE(x >= e.left && x < e.left + e.width && y >= e.top && y < e.top + e.height);
        ++columns[x - e.left];
      }
    return columns;
  };
  const auto dots_near = [&](const std::vector<std::size_t>& columns, double place) {
    const auto at = static_cast<std::size_t>(place * static_cast<double>(e.width - 1));
    const std::size_t first = at == 0 ? 0 : at - 1, last = std::min(at + 1, e.width - 1);
    return static_cast<double>(std::max({columns[first], columns[at], columns[last]}));
  };
  const auto marked = [](const std::vector<std::size_t>& columns) {
    return std::count_if(columns.begin(), columns.end(), [](std::size_t n) { return n > 0; });
  };
  const std::vector<std::size_t> few = changed({-0.1, 0, 0.25, 1, 1.1});
  for (const double place : {0.0, 0.25, 1.0})
    EXPECT_NEAR(dots_near(few, place), 0.4 * static_cast<double>(e.height), 3) << place;
  EXPECT_LE(marked(few), 6);
  // Lines too close to see through are short.
  std::vector<double> many;
  for (int i = 0; i < 400; ++i) many.push_back(i / 400.0);
  const std::vector<std::size_t> dense = changed(many);
  EXPECT_LT(*std::max_element(dense.begin(), dense.end()), e.height / 16);
  EXPECT_GT(marked(dense), 390);
  picture.marked_seconds.assign(100'001, 0);
  EXPECT_THROW(spectrogram_png(picture), invalid_argument);
}

TEST(spectrogram_marks, are_in_pages_too) {
  spectrogram_picture picture = quiet_picture();
  const auto size = [&] { return spectrogram_image(picture, picture_format::svg).size(); };
  const std::size_t bare = size();
  picture.marks = {{250, "quarter"}};
  picture.waterfall = true;
  EXPECT_GT(size(), bare + 200);
  picture.marks.clear();
  picture.curve_hz = {500};
  EXPECT_GT(size(), bare + 200);
}

}  // namespace
}  // namespace papilio

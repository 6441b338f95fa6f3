// Several panels in one picture, frequency axes that are not even in Hz, and pages instead of PNG.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/render.hpp"
#include "support/decoded_png.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

using test::decode_png;
using test::decoded_png;
using test::inked;

const float quiet = -90, loud = -10;
const view<const float, 2> quiet_pixel(&quiet, {1, 1}), loud_pixel(&loud, {1, 1});

spectrogram_picture of_scale(frequency_scale scale, double low_hz, double high_hz,
                             std::size_t width = 800, std::size_t height = 500) {
  return {.level_db = quiet_pixel,
          .low_hz = low_hz,
          .high_hz = high_hz,
          .scale = scale,
          .width = width,
          .height = height};
}

void expect_bare_border(const decoded_png& p) {
  EXPECT_EQ(inked(p, 0, 0, p.width, 2), 0u);
  EXPECT_EQ(inked(p, 0, p.height - 2, p.width, p.height), 0u);
  EXPECT_EQ(inked(p, 0, 0, 2, p.height), 0u);
  EXPECT_EQ(inked(p, p.width - 2, 0, p.width, p.height), 0u);
}

/// Rows, counted from the plot's lowest, in which a tick long enough for a label begins.
std::vector<std::size_t> labelled_rows(const decoded_png& p, const plot_extent& e) {
  std::vector<std::size_t> rows;
  for (std::size_t up = 0; up < e.height; ++up) {
    const std::size_t y = e.top + e.height - 1 - up;
    if (inked(p, e.left - 5, y, e.left - 4, y + 1) == 0) continue;
    if (rows.empty() || up > rows.back() + 1) rows.push_back(up);
  }
  return rows;
}

void expect_labels_at(const spectrogram_picture& picture, const std::vector<double>& places) {
  const decoded_png p = decode_png(spectrogram_png(picture));
  const plot_extent e = spectrogram_plot_extent(picture.width, picture.height);
  const std::vector<std::size_t> rows = labelled_rows(p, e);
  ASSERT_EQ(rows.size(), places.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(static_cast<double>(rows[i]), places[i] * static_cast<double>(e.height), 2) << i;
}

TEST(spectrogram_scale, octaves_are_labelled_at_one_two_five) {
  std::vector<double> places;
  for (const double hz : {20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000})
    places.push_back(std::log(hz / 20) / std::log(1000));
  expect_labels_at(of_scale(frequency_scale::logarithmic, 20, 20000), places);
}

TEST(spectrogram_scale, mel_is_even_below_1_khz_and_in_octaves_above) {
  const double top = 15 + 27 * std::log(20.0) / std::log(6.4);
  std::vector<double> places{0, 3 / top, 7.5 / top, 15 / top};
  for (const double hz : {2000, 5000, 10000, 20000})
    places.push_back((15 + 27 * std::log(hz / 1000) / std::log(6.4)) / top);
  expect_labels_at(of_scale(frequency_scale::mel, 0, 20000), places);
}

TEST(spectrogram_scale, labels_never_touch_whatever_the_range) {
  const std::vector<std::pair<double, double>> ranges{
      {1, 2},      {900, 1100},  {0.01, 1e6},  {20, 22050}, {999.5, 1000.5},
      {3e3, 12e3}, {1e-9, 1e12}, {1e6, 1.1e6}, {50, 60},    {4000, 9999}};
  for (const frequency_scale scale : {frequency_scale::logarithmic, frequency_scale::mel})
    for (const auto& [low, high] : ranges)
      for (const auto& [width, height] :
           {std::pair<std::size_t, std::size_t>{300, 200}, {800, 500}, {400, 1100}}) {
        SCOPED_TRACE(std::string(to_string(scale)) + " " + std::to_string(low) + " to " +
                     std::to_string(high) + " in " + std::to_string(height));
        const decoded_png p =
            decode_png(spectrogram_png(of_scale(scale, low, high, width, height)));
        const plot_extent e = spectrogram_plot_extent(width, height);
        expect_bare_border(p);
        // Between two lines of text there is a bare one, beside the ticks.
        std::size_t texts = 0, height_of_text = 0, tallest = 0;
        for (std::size_t y = e.top - 8; y < e.top + e.height + 8; ++y) {
          const bool bare = inked(p, e.left - 18, y, e.left - 10, y + 1) == 0;
          if (!bare && height_of_text == 0) ++texts;
          height_of_text = bare ? 0 : height_of_text + 1;
          tallest = std::max(tallest, height_of_text);
        }
        EXPECT_GE(texts, 1u);
        EXPECT_LT(tallest, 24u);
      }
}

TEST(spectrogram_panels, share_the_height_and_show_each_its_levels) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
    spectrogram_picture picture{.title = "title", .width = 600, .height = 500};
    for (std::size_t i = 0; i < count; ++i)
      picture.panels.push_back({i % 2 == 0 ? loud_pixel : quiet_pixel, "Channel"});
    const decoded_png p = decode_png(spectrogram_png(picture));
    const std::vector<plot_extent> extents = spectrogram_panel_extents(600, 500, count);
    ASSERT_EQ(extents.size(), count);
    expect_bare_border(p);
    const plot_extent whole = spectrogram_plot_extent(600, 500);
    EXPECT_EQ(extents.back().top + extents.back().height, whole.top + whole.height);
    for (std::size_t i = 0; i < count; ++i) {
      const plot_extent& e = extents[i];
      EXPECT_EQ(e.left, whole.left);
      EXPECT_EQ(e.width, whole.width);
      EXPECT_EQ(e.height, extents[0].height);
      const rgb expected =
          color_at(color_map::magma, std::floor((i % 2 == 0 ? 110 : 30) / 120.0 * 224) / 223);
      for (const std::size_t y : {e.top, e.top + e.height / 2, e.top + e.height - 1})
        EXPECT_EQ(p.at(e.left + 5, y), expected) << count << " " << i << " " << y;
      EXPECT_GE(labelled_rows(p, e).size(), 1u);
      if (count > 1) {
        EXPECT_GT(inked(p, e.left, e.top - 12, e.left + 60, e.top - 3), 30u) << "name";
      }
    }
  }
}

TEST(spectrogram_panels, one_panel_is_the_plain_picture) {
  const spectrogram_picture plain{.level_db = loud_pixel, .width = 400, .height = 300};
  const spectrogram_picture panel{
      .panels = {{loud_pixel, "left out"}}, .width = 400, .height = 300};
  EXPECT_EQ(spectrogram_png(plain), spectrogram_png(panel));
}

TEST(spectrogram_panels, refusals) {
  EXPECT_THROW(spectrogram_panel_extents(400, 300, 0), invalid_argument);
  EXPECT_THROW(spectrogram_panel_extents(400, 300, 20), invalid_argument);
  EXPECT_NO_THROW(spectrogram_panel_extents(400, 3000, 20));
  spectrogram_picture picture{.level_db = loud_pixel, .panels = {{loud_pixel, ""}}};
  EXPECT_THROW(spectrogram_png(picture), invalid_argument);
  picture = {.panels = {{loud_pixel, ""}, {{}, "empty"}}};
  EXPECT_THROW(spectrogram_png(picture), shape_error);
  picture = of_scale(frequency_scale::logarithmic, 0, 100);
  EXPECT_THROW(spectrogram_png(picture), invalid_argument);
  EXPECT_THROW(spectrogram_image(picture, picture_format::pdf), invalid_argument);
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(spectrogram_page, svg_and_pdf_hold_an_image_and_lines) {
  spectrogram_picture picture{.panels = {{loud_pixel, "one"}, {quiet_pixel, "two"}},
                              .title = "Title",
                              .width = 500,
                              .height = 300};
  const std::string svg = text_of(spectrogram_image(picture, picture_format::svg));
  EXPECT_EQ(svg.rfind("<?xml", 0), 0u);
  EXPECT_NE(svg.find("viewBox=\"0 0 500 300\""), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  const std::size_t width = spectrogram_plot_extent(500, 300).width;
  std::size_t images = 0;
  const std::string tag = "<image ";
  for (std::size_t at = svg.find(tag); at != std::string::npos; at = svg.find(tag, at + 1)) {
    const std::string attributes = svg.substr(at, svg.find('>', at) - at).substr(0, 200);
    images += attributes.find("width=\"" + std::to_string(width) + "\"") != std::string::npos;
  }
  EXPECT_EQ(images, 2u);
  const std::string pdf = text_of(spectrogram_image(picture, picture_format::pdf));
  EXPECT_EQ(pdf.rfind("%PDF-", 0), 0u);
  EXPECT_NE(pdf.find("/MediaBox [ 0 0 375 225 ]"), std::string::npos);
  EXPECT_NE(pdf.find("/Subtype /Image"), std::string::npos);
  EXPECT_NE(pdf.find("%%EOF"), std::string::npos);
  EXPECT_EQ(spectrogram_image(picture, picture_format::png), spectrogram_png(picture));
}

TEST(spectrogram_page, files_are_of_the_format_that_they_are_named_for) {
  const test::temporary_directory directory;
  const spectrogram_picture picture{.level_db = loud_pixel, .width = 300, .height = 200};
  const std::pair<const char*, const char*> names[] = {
      {"a.png", "\x89PNG"}, {"a.SVG", "<?xml"}, {"a.pdf", "%PDF-"}};
  for (const auto& [name, head] : names) {
    write_spectrogram(directory / name, picture);
    std::ifstream file(directory / name, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(bytes.rfind(head, 0), 0u) << name;
  }
  EXPECT_THROW(write_spectrogram(directory / "a.gif", picture), invalid_argument);
}

}  // namespace
}  // namespace papilio

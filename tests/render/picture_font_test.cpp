// A character that the first font lacks is drawn in a font that has it. There are two fonts here,
// made with fontTools.fontBuilder.FontBuilder(1000): digits.ttf, which stands for DejaVu Sans, has
// digits 0...400 x 0...700 and the space; day.ttf has U+65E5 (a Japanese "day") as a square of the
// font's whole size.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "papilio/render.hpp"
#include "support/decoded_png.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

struct inked_box {
  std::size_t width = 0, height = 0, inked = 0;
  double coverage() const {
    return static_cast<double>(inked) /
           static_cast<double>(std::max<std::size_t>(1, width * height));
  }
};

/// The ink of a title.
inked_box title_box(const std::string& title) {
  const float level = -50;
  const test::decoded_png p =
      test::decode_png(spectrogram_png({.level_db = view<const float, 2>(&level, {1, 1}),
                                        .title = title,
                                        .width = 1200,
                                        .height = 600}));
  const std::size_t below = spectrogram_plot_extent(1200, 600).top - 5;
  std::size_t left = p.width, right = 0, top = below, bottom = 0;
  for (std::size_t y = 0; y < below; ++y)
    for (std::size_t x = 0; x < p.width; ++x)
      if (p.at(x, y).red < 128) {
        left = std::min(left, x);
        right = std::max(right, x + 1);
        top = std::min(top, y);
        bottom = std::max(bottom, y + 1);
      }
  if (right == 0) return {};
  std::size_t inked = 0;
  for (std::size_t y = top; y < bottom; ++y)
    for (std::size_t x = left; x < right; ++x) inked += p.at(x, y).red < 128;
  return {right - left, bottom - top, inked};
}

TEST(picture_font, is_the_one_that_has_the_character) {
  const test::temporary_directory directory;
  std::ofstream(directory / "fonts.conf")
      << "<?xml version=\"1.0\"?><fontconfig><dir>" << PAPILIO_TEST_FONTS << "</dir><cachedir>"
      << (directory / "cache").string()
      << "</cachedir><alias binding=\"same\"><family>DejaVu Sans</family><prefer><family>papilio "
         "digits</family></prefer></alias></fontconfig>\n";
  ASSERT_EQ(setenv("FONTCONFIG_FILE", (directory / "fonts.conf").c_str(), 1), 0);

  // Four full squares in a row: four times as wide as high, to a pixel at each edge.
  const inked_box squares = title_box("\u65e5\u65e5\u65e5\u65e5");
  EXPECT_GT(squares.height, 10u);
  EXPECT_NEAR(static_cast<double>(squares.width), 4.0 * static_cast<double>(squares.height), 4);
  EXPECT_GT(squares.coverage(), 0.9);
  // A box with the digits of its code point, where no font has it.
  EXPECT_LT(title_box("\u672c\u672c\u672c\u672c").coverage(), 0.7);
}

}  // namespace
}  // namespace papilio

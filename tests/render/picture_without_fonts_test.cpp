// Where no font is installed, the picture is drawn with cairo's built-in one.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "papilio/render/spectrogram_picture.hpp"
#include "render/decoded_png.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

TEST(picture_without_fonts, is_still_labelled) {
  const test::temporary_directory directory;
  std::ofstream(directory / "fonts.conf") << "<?xml version=\"1.0\"?><fontconfig></fontconfig>\n";
  ASSERT_EQ(setenv("FONTCONFIG_FILE", (directory / "fonts.conf").c_str(), 1), 0);

  const float level = -50;
  const test::decoded_png p =
      test::decode_png(spectrogram_png({.level_db = view<const float, 2>(&level, {1, 1}),
                                        .duration_seconds = 5e-5,
                                        .high_hz = 22050,
                                        .title = "no fonts \u2026 \u00e9",
                                        .width = 640,
                                        .height = 480}));
  const plot_extent e = spectrogram_plot_extent(640, 480);
  EXPECT_EQ(p.width, 640u);
  EXPECT_GT(test::inked(p, e.left, 0, e.left + e.width, e.top - 5), 50u);
  EXPECT_GT(test::inked(p, 0, e.top, e.left - 10, e.top + e.height), 100u);
}

}  // namespace
}  // namespace papilio

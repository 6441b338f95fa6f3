// Where no font is installed, a picture is refused: its axes could not be read.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "papilio/base/error.hpp"
#include "papilio/render.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

template <class Draw>
std::string refusal_of(Draw draw) {
  try {
    draw();
  } catch (const resource_error& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(picture_without_fonts, is_refused_with_the_remedy) {
  const test::temporary_directory directory;
  std::ofstream(directory / "fonts.conf") << "<?xml version=\"1.0\"?><fontconfig></fontconfig>\n";
  ASSERT_EQ(setenv("FONTCONFIG_FILE", (directory / "fonts.conf").c_str(), 1), 0);

  const float level = -50;
  const std::string remedy =
      "drawing: fontconfig finds no font with digits; install one, such as DejaVu Sans";
  EXPECT_EQ(
      refusal_of([&] {
        write_spectrogram(directory / "a.png", {.level_db = view<const float, 2>(&level, {1, 1})});
      }),
      remedy);
  const std::vector<double> y{1, 2};
  EXPECT_EQ(refusal_of([&] { line_plot_image({.curves = {{.y = y}}}, picture_format::pdf); }),
            remedy);
  EXPECT_FALSE(std::filesystem::exists(directory / "a.png"));
}

}  // namespace
}  // namespace papilio

// What the picture functions refuse, in which words, and that nothing is left behind.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/render.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");
const float one_level = -50;

spectrogram_picture good() {
  return {.level_db = view<const float, 2>(&one_level, {1, 1}), .title = "good"};
}

std::size_t entries(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), {}));
}

template <class Error>
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& caught) {
    return caught.what();
  }
  return "not refused";
}

using change = std::function<void(spectrogram_picture&)>;

std::string refusal_of(const change& spoil) {
  spectrogram_picture picture = good();
  spoil(picture);
  return refusal<invalid_argument>([&] { spectrogram_png(picture); });
}

TEST(spectrogram_refusals, name_the_argument_the_bound_and_the_value) {
  using p = spectrogram_picture;
  EXPECT_EQ(refusal_of([](p& s) { s.width = 299; }),
            "spectrogram_png: width must be 300 to 16384 pixels, not 299");
  EXPECT_EQ(refusal_of([](p& s) { s.height = 199; }),
            "spectrogram_png: height must be 200 to 16384 pixels, not 199");
  EXPECT_EQ(refusal_of([](p& s) { s.width = 16385; }),
            "spectrogram_png: width must be 300 to 16384 pixels, not 16385");
  EXPECT_EQ(refusal_of([](p& s) { s.duration_seconds = 0; }),
            "spectrogram_png: duration_seconds must be 1e-09 to 1e+09, not 0");
  EXPECT_EQ(refusal_of([](p& s) { s.low_hz = -1; }),
            "spectrogram_png: low_hz must be 0 to 1e+12, not -1");
  EXPECT_EQ(refusal_of([](p& s) { s.low_hz = s.high_hz = 50; }),
            "spectrogram_png: high_hz must be above low_hz 50 by 1e-12 of itself or more, not 50");
  EXPECT_EQ(refusal_of([](p& s) { s.ceiling_db = -120; }),
            "spectrogram_png: ceiling_db must be at least 0.01 above floor_db -120, not -120");
}

TEST(spectrogram_refusals, cover_every_field) {
  using p = spectrogram_picture;
  const std::vector<change> spoils{
      [](p& s) { s.start_seconds = nan; },
      [](p& s) { s.start_seconds = infinity; },
      [](p& s) { s.start_seconds = -2e9; },
      [](p& s) { s.duration_seconds = nan; },
      [](p& s) { s.duration_seconds = -1; },
      [](p& s) { s.duration_seconds = infinity; },
      [](p& s) { s.start_seconds = 1e9, s.duration_seconds = 1e-6; },
      [](p& s) { s.low_hz = nan; },
      [](p& s) { s.high_hz = nan; },
      [](p& s) { s.high_hz = infinity; },
      [](p& s) { s.low_hz = 2; },
      [](p& s) { s.floor_db = std::nanf(""); },
      [](p& s) { s.ceiling_db = std::nanf(""); },
      [](p& s) { s.floor_db = -20000; },
      [](p& s) { s.ceiling_db = 20000; },
      [](p& s) { s.floor_db = 6; },
      [](p& s) { s.colors = static_cast<color_map>(9); },
      [](p& s) { s.colors = static_cast<color_map>(-1); },
      [](p& s) { s.width = std::numeric_limits<std::size_t>::max(); },
      [](p& s) { s.height = 0; },
  };
  for (std::size_t i = 0; i < spoils.size(); ++i)
    EXPECT_NE(refusal_of(spoils[i]), "not refused") << i;
}

TEST(spectrogram_refusals, no_levels_are_a_shape_error) {
  spectrogram_picture picture = good();
  picture.level_db = view<const float, 2>(&one_level, {0, 7});
  EXPECT_EQ(refusal<shape_error>([&] { spectrogram_png(picture); }),
            "spectrogram_png: level_db has no levels: its shape is [0, 7]");
  picture.level_db = {};
  EXPECT_THROW(spectrogram_png(picture), shape_error);
}

TEST(spectrogram_refusals, more_columns_than_memory_are_a_resource_error) {
  spectrogram_picture picture = good();
  picture.level_db = view<const float, 2>(&one_level, {1, std::size_t{1} << 62}, {0, 0});
  EXPECT_THROW(spectrogram_png(picture), resource_error);
}

TEST(spectrogram_refusals, the_plot_extent_has_the_same_bounds) {
  EXPECT_EQ(refusal<invalid_argument>([] { spectrogram_plot_extent(0, 600); }),
            "spectrogram_plot_extent: width must be 300 to 16384 pixels, not 0");
  EXPECT_THROW(spectrogram_plot_extent(300, 16385), invalid_argument);
  EXPECT_GT(spectrogram_plot_extent(16384, 16384).width, 14000u);
}

TEST(spectrogram_refusals, leave_no_file) {
  const test::temporary_directory directory;
  spectrogram_picture picture = good();
  picture.high_hz = -1;
  EXPECT_THROW(write_spectrogram_png(directory / "a.png", picture), invalid_argument);
  EXPECT_EQ(entries(directory.path()), 0u);
}

TEST(spectrogram_refusals, a_failed_picture_leaves_the_old_file) {
  const test::temporary_directory directory;
  std::ofstream(directory / "a.png") << "old";
  spectrogram_picture picture = good();
  picture.level_db = view<const float, 2>(&one_level, {1, std::size_t{1} << 62}, {0, 0});
  EXPECT_THROW(write_spectrogram_png(directory / "a.png", picture), resource_error);
  EXPECT_EQ(entries(directory.path()), 1u);
  EXPECT_EQ(std::filesystem::file_size(directory / "a.png"), 3u);
}

TEST(spectrogram_refusals, a_place_that_cannot_be_written_is_an_io_error) {
  const test::temporary_directory directory;
  const std::filesystem::path nowhere = directory / "no" / "such.png", taken = directory / "taken";
  EXPECT_EQ(refusal<io_error>([&] { write_spectrogram_png(nowhere, good()); }).find(nowhere), 0u);
  std::filesystem::create_directory(taken);
  EXPECT_THROW(write_spectrogram_png(taken, good()), io_error);
  EXPECT_EQ(entries(directory.path()), 1u);
}

TEST(write_spectrogram_png, writes_what_spectrogram_png_returns) {
  const test::temporary_directory directory;
  write_spectrogram_png(directory / "a.png", good());
  std::ifstream file(directory / "a.png", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::byte> bytes = spectrogram_png(good());
  EXPECT_EQ(text, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_EQ(entries(directory.path()), 1u);
}

}  // namespace
}  // namespace papilio

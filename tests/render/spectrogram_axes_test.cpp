// What stands around the plot: in its place, inside the picture, at every size.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "papilio/render.hpp"
#include "support/decoded_png.hpp"

namespace papilio {
namespace {

using test::decode_png;
using test::decoded_png;
using test::inked;

const float one_level = -50;
const view<const float, 2> one_pixel(&one_level, {1, 1});

struct size {
  std::size_t width, height;
};
const std::vector<size> sizes{{300, 200},  {301, 700},  {640, 480},  {1200, 600},
                              {2000, 200}, {300, 3000}, {2000, 1100}};

decoded_png drawn(const spectrogram_picture& picture) {
  return decode_png(spectrogram_png(picture));
}

/// The outermost pixels on all four sides are bare.
void expect_bare_border(const decoded_png& p) {
  constexpr std::size_t border = 2;
  EXPECT_EQ(inked(p, 0, 0, p.width, border), 0u);
  EXPECT_EQ(inked(p, 0, p.height - border, p.width, p.height), 0u);
  EXPECT_EQ(inked(p, 0, 0, border, p.height), 0u);
  EXPECT_EQ(inked(p, p.width - border, 0, p.width, p.height), 0u);
}

TEST(spectrogram_axes, all_parts_are_drawn_and_none_is_clipped) {
  for (const size& s : sizes) {
    SCOPED_TRACE(std::to_string(s.width) + " x " + std::to_string(s.height));
    const decoded_png p = drawn({.level_db = one_pixel,
                                 .duration_seconds = 754.2,
                                 .high_hz = 22050,
                                 .title = "title",
                                 .width = s.width,
                                 .height = s.height});
    const plot_extent e = spectrogram_plot_extent(s.width, s.height);
    const std::size_t right = e.left + e.width, bottom = e.top + e.height;
    expect_bare_border(p);
    EXPECT_GT(inked(p, e.left, 0, right, e.top - 5), 20u) << "title";
    EXPECT_GT(inked(p, 0, e.top, e.left - 10, bottom), 50u) << "frequency axis";
    EXPECT_GT(inked(p, e.left, bottom + 5, right, s.height), 50u) << "time axis";
    EXPECT_GT(inked(p, right + 30, e.top, s.width, bottom), 50u) << "level axis";
    EXPECT_EQ(inked(p, right + 4, e.top, right + 7, bottom), 0u) << "gap before the bar";
  }
}

TEST(spectrogram_axes, awkward_ranges_stay_inside) {
  struct range {
    double start_seconds, duration_seconds, low_hz, high_hz;
    float floor_db, ceiling_db;
  };
  const std::vector<range> ranges{{0, 1e-9, 0, 1e-9, -0.01f, 0},
                                  {-1e9, 1e9, 0, 1e12, -10000, 10000},
                                  {86399.9991, 0.0002, 10000.001, 10000.002, -1.02f, -1},
                                  {1e9, 0.001, 1e12 - 1, 1e12, 9999.98f, 10000},
                                  {59, 7, 0.1, 0.7, -102.5f, -97.25f},
                                  {3599.5, 1, 22049, 22050, -120, 0},
                                  {-5, 10, 999, 1001, -1, 1}};
  for (const size& s : sizes)
    for (const range& r : ranges) {
      SCOPED_TRACE(std::to_string(s.width) + " x " + std::to_string(s.height) + ", " +
                   std::to_string(r.start_seconds) + " s, " + std::to_string(r.high_hz) + " Hz");
      const decoded_png p = drawn({.level_db = one_pixel,
                                   .start_seconds = r.start_seconds,
                                   .duration_seconds = r.duration_seconds,
                                   .low_hz = r.low_hz,
                                   .high_hz = r.high_hz,
                                   .floor_db = r.floor_db,
                                   .ceiling_db = r.ceiling_db,
                                   .width = s.width,
                                   .height = s.height});
      const plot_extent e = spectrogram_plot_extent(s.width, s.height);
      expect_bare_border(p);
      EXPECT_GT(inked(p, 0, e.top + e.height + 10, s.width, s.height), 50u) << "time axis";
    }
}

TEST(spectrogram_axes, ticks_stand_at_their_values) {
  const decoded_png p = drawn({.level_db = one_pixel,
                               .start_seconds = 0,
                               .duration_seconds = 10,
                               .low_hz = 0,
                               .high_hz = 10000,
                               .width = 800,
                               .height = 500});
  const plot_extent e = spectrogram_plot_extent(800, 500);
  // Just outside the frame only tick marks are inked; the longest ones reach four pixels out.
  for (int k = 0; k <= 10; ++k) {
    const auto at = [&](std::size_t length) {
      return std::min(static_cast<std::size_t>(k * static_cast<double>(length) / 10), length - 1);
    };
    const std::size_t x = e.left + at(e.width), y = e.top + e.height - 1 - at(e.height);
    if (k % 2 == 0) {
      EXPECT_GT(inked(p, e.left - 5, y - 1, e.left - 4, y + 2), 0u) << k << " kHz";
    }
    EXPECT_GT(inked(p, x - 1, e.top + e.height + 4, x + 2, e.top + e.height + 5), 0u) << k << " s";
  }
}

TEST(spectrogram_axes, titles_are_shortened_to_fit) {
  for (const std::string& title :
       {std::string(100000, 'W'), std::string(5000, ' '), std::string("\n\t\0x", 4),
        std::string(500, '\xff'), std::string("caf\xc3\xa9 \xe2\x82"),
        std::string("\xf0\x9f\x8e\xb5"), std::string("\xed\xa0\x80\xc0\xaf\xf5")}) {
    const decoded_png p = drawn(
        {.level_db = one_pixel, .title = title, .level_unit = title, .width = 300, .height = 200});
    expect_bare_border(p);
  }
}

std::vector<std::byte> titled(const std::string& title) {
  return spectrogram_png({.level_db = one_pixel, .title = title, .width = 600, .height = 300});
}

TEST(spectrogram_axes, malformed_utf8_is_replaced_and_control_characters_are_spaces) {
  EXPECT_EQ(titled("a\xff"
                   "b"),
            titled("a\ufffd"
                   "b"));
  EXPECT_EQ(titled("a\xe2\x82"), titled("a\ufffd\ufffd"));
  EXPECT_EQ(titled("a\xc0\xaf"), titled("a\ufffd\ufffd"));            // overlong
  EXPECT_EQ(titled("a\xed\xa0\x80"), titled("a\ufffd\ufffd\ufffd"));  // surrogate
  EXPECT_EQ(titled("a\nb\tc"), titled("a b c"));
  EXPECT_EQ(titled(std::string("a\0b", 3)), titled("a b"));
  EXPECT_EQ(titled("a\u0085"
                   "b"),
            titled("a b"));
  EXPECT_NE(titled("caf\u00e9"), titled("cafe"));
}

struct rows {
  std::size_t top, bottom;
};

/// The last line of text.
rows last_line(const decoded_png& p) {
  const auto bare = [&](std::size_t y) { return inked(p, 0, y, p.width, y + 1) == 0; };
  rows line{0, p.height};
  while (bare(line.bottom - 1)) --line.bottom;
  line.top = line.bottom - 1;
  while (!bare(line.top - 1)) --line.top;
  return line;
}

/// The longest run of columns without ink between the first and the last that have some.
std::size_t widest_gap(const decoded_png& p, const rows& line) {
  std::size_t widest = 0, gap = 0;
  bool begun = false;
  for (std::size_t x = 0; x < p.width; ++x) {
    const bool bare = inked(p, x, line.top, x + 1, line.bottom) == 0;
    if (!bare && begun) widest = std::max(widest, gap);
    gap = bare ? gap + 1 : 0;
    begun = begun || !bare;
  }
  return widest;
}

TEST(spectrogram_axes, a_caption_stands_clear_of_the_time_axis_title) {
  const std::vector<std::string> captions{"n_fft 2048, hop 512, hann window, 44100 Hz",
                                          std::string(500, 'W')};
  for (const size& s : sizes)
    for (const std::string& caption : captions) {
      SCOPED_TRACE(std::to_string(s.width) + " x " + std::to_string(s.height) + caption);
      spectrogram_picture picture{.level_db = one_pixel, .width = s.width, .height = s.height};
      const decoded_png bare = drawn(picture);
      picture.caption = caption;
      const decoded_png p = drawn(picture);
      expect_bare_border(p);
      const rows line = last_line(bare);
      EXPECT_GT(inked(p, 0, line.top, s.width, line.bottom),
                inked(bare, 0, line.top, s.width, line.bottom) + 100)
          << "caption";
      // Words are 3 to 7 pixels apart.
      EXPECT_LT(widest_gap(bare, line), 9u);
      EXPECT_GE(widest_gap(p, line), 9u);
      EXPECT_EQ(inked(p, 0, 0, s.width, line.top), inked(bare, 0, 0, s.width, line.top));
    }
}

TEST(spectrogram_axes, the_plot_does_not_depend_on_the_texts) {
  const plot_extent e = spectrogram_plot_extent(600, 300);
  const decoded_png bare = decode_png(titled("")), full = decode_png(titled("A title"));
  EXPECT_EQ(inked(bare, e.left, 0, e.left + e.width, e.top - 5), 0u);
  for (std::size_t y = e.top; y < e.top + e.height; ++y)
    for (std::size_t x = 0; x < bare.width; ++x) ASSERT_EQ(bare.at(x, y), full.at(x, y));
}

TEST(spectrogram_axes, the_same_picture_is_the_same_bytes) { EXPECT_EQ(titled("t"), titled("t")); }

}  // namespace
}  // namespace papilio

#include "papilio/render/color_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

struct published {
  int entry;  // of 256
  rgb color;
};

// Entries of the published tables that are not among the nodes of ours.
const std::vector<published> viridis_entries{
    {0, {68, 1, 84}},      {32, {71, 45, 123}},  {64, {59, 82, 139}},   {96, {44, 114, 142}},
    {128, {33, 145, 140}}, {192, {94, 201, 98}}, {224, {173, 220, 48}}, {255, {253, 231, 37}}};
const std::vector<published> magma_entries{
    {0, {0, 0, 4}},        {32, {29, 17, 71}},    {64, {81, 18, 124}},    {96, {131, 38, 129}},
    {128, {183, 55, 121}}, {192, {252, 137, 97}}, {224, {254, 196, 136}}, {255, {252, 253, 191}}};

void expect_close(color_map map, const published& entry) {
  const rgb ours = color_at(map, entry.entry / 255.0);
  EXPECT_NEAR(ours.red, entry.color.red, 1) << entry.entry;
  EXPECT_NEAR(ours.green, entry.color.green, 1) << entry.entry;
  EXPECT_NEAR(ours.blue, entry.color.blue, 1) << entry.entry;
}

double luminance(const rgb& c) { return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue; }

TEST(color_map, is_near_the_published_tables) {
  for (const published& entry : viridis_entries) expect_close(color_map::viridis, entry);
  for (const published& entry : magma_entries) expect_close(color_map::magma, entry);
}

TEST(color_map, grey_is_linear) {
  for (int i = 0; i < 256; ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    EXPECT_EQ(color_at(color_map::grey, i / 255.0), (rgb{value, value, value}));
  }
}

TEST(color_map, grows_lighter_all_the_way) {
  for (color_map map : all_color_maps)
    for (int i = 1; i < 224; ++i)
      // Rounding each channel to 8 bits may take half a step.
      EXPECT_GT(luminance(color_at(map, i / 223.0)),
                luminance(color_at(map, (i - 1) / 223.0)) - 0.5)
          << to_string(map) << ' ' << i;
}

TEST(color_map, takes_what_is_outside_to_the_ends) {
  for (color_map map : all_color_maps) {
    EXPECT_EQ(color_at(map, -1), color_at(map, 0));
    EXPECT_EQ(color_at(map, 7), color_at(map, 1));
    EXPECT_EQ(color_at(map, std::numeric_limits<double>::infinity()), color_at(map, 1));
    EXPECT_EQ(color_at(map, std::nan("")), color_at(map, 0));
  }
}

TEST(color_map, names_are_read_back) {
  for (color_map map : all_color_maps) EXPECT_EQ(color_map_named(to_string(map)), map);
  EXPECT_EQ(to_string(color_map::magma), "magma");
}

TEST(color_map, refuses_unknown_names) {
  try {
    color_map_named("jet");
    FAIL();
  } catch (const invalid_argument& refusal) {
    EXPECT_STREQ(refusal.what(),
                 "color_map_named: name must be one of viridis, magma, grey, not 'jet'");
  }
  EXPECT_THROW(to_string(static_cast<color_map>(17)), invalid_argument);
}

}  // namespace
}  // namespace papilio

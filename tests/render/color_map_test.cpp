#include "papilio/render.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

struct published {
  color_map map;
  std::vector<std::uint32_t> colors;  // 0xRRGGBB, every fifth of 256
};

// matplotlib.colormaps[NAME].colors of Matplotlib 3.11, rounded to 8 bits.
const std::vector<published> matplotlib_tables{
    {color_map::viridis,
     {0x440154, 0x46085c, 0x471063, 0x481769, 0x481d6f, 0x482475, 0x472a7a, 0x46307e, 0x453781,
      0x433d84, 0x414287, 0x3f4889, 0x3d4e8a, 0x3a538b, 0x38598c, 0x355e8d, 0x33638d, 0x31688e,
      0x2e6d8e, 0x2c718e, 0x2a768e, 0x297b8e, 0x27808e, 0x25848e, 0x23898e, 0x218e8d, 0x20928c,
      0x1f978b, 0x1e9c89, 0x1fa188, 0x21a585, 0x24aa83, 0x28ae80, 0x2eb37c, 0x35b779, 0x3dbc74,
      0x46c06f, 0x50c46a, 0x5ac864, 0x65cb5e, 0x70cf57, 0x7cd250, 0x89d548, 0x95d840, 0xa2da37,
      0xb0dd2f, 0xbddf26, 0xcae11f, 0xd8e219, 0xe5e419, 0xf1e51d, 0xfde725}},
    {color_map::plasma,
     {0x0d0887, 0x1b068d, 0x260591, 0x2f0596, 0x38049a, 0x41049d, 0x4903a0, 0x5102a3, 0x5901a5,
      0x6100a7, 0x6900a8, 0x7100a8, 0x7801a8, 0x8004a8, 0x8707a6, 0x8e0ca4, 0x9511a1, 0x9c179e,
      0xa21d9a, 0xa82296, 0xae2892, 0xb42e8d, 0xba3388, 0xbf3984, 0xc43e7f, 0xc9447a, 0xcd4a76,
      0xd24f71, 0xd6556d, 0xda5b69, 0xde6164, 0xe26660, 0xe66c5c, 0xe97257, 0xed7953, 0xf07f4f,
      0xf3854b, 0xf58c46, 0xf79342, 0xf99a3e, 0xfba139, 0xfca835, 0xfdaf31, 0xfeb72d, 0xfebe2a,
      0xfdc627, 0xfcce25, 0xfbd724, 0xf8df25, 0xf6e826, 0xf3f027, 0xf0f921}},
    {color_map::inferno,
     {0x000004, 0x02020c, 0x050417, 0x0a0722, 0x10092d, 0x160b39, 0x1e0c45, 0x260c51, 0x2f0a5b,
      0x380962, 0x400a67, 0x490b6a, 0x510e6c, 0x59106e, 0x61136e, 0x69166e, 0x71196e, 0x781c6d,
      0x801f6c, 0x88226a, 0x902568, 0x982766, 0xa02a63, 0xa82e5f, 0xb0315b, 0xb73557, 0xbf3952,
      0xc63d4d, 0xcc4248, 0xd34743, 0xd94d3d, 0xdf5337, 0xe45a31, 0xe9612b, 0xed6925, 0xf1711f,
      0xf47918, 0xf78212, 0xf98b0b, 0xfa9407, 0xfb9d07, 0xfca60c, 0xfcb014, 0xfbba1f, 0xfac42a,
      0xf8cd37, 0xf6d746, 0xf4e156, 0xf2ea69, 0xf2f27d, 0xf5f992, 0xfcffa4}},
    {color_map::magma,
     {0x000004, 0x02020b, 0x050416, 0x090720, 0x0e0b2b, 0x140e36, 0x1a1042, 0x21114e, 0x29115a,
      0x311165, 0x390f6e, 0x420f75, 0x4a1079, 0x52137c, 0x5a167e, 0x621980, 0x6a1c81, 0x721f81,
      0x792282, 0x812581, 0x892881, 0x912b81, 0x992d80, 0xa1307e, 0xaa337d, 0xb2357b, 0xba3878,
      0xc23b75, 0xca3e72, 0xd2426f, 0xd9466b, 0xe04c67, 0xe75263, 0xec5860, 0xf1605d, 0xf4695c,
      0xf7725c, 0xf97b5d, 0xfb8560, 0xfc8e64, 0xfd9869, 0xfea16e, 0xfeaa74, 0xfeb47b, 0xfebd82,
      0xfec68a, 0xfecf92, 0xfed89a, 0xfde2a3, 0xfdebac, 0xfcf4b6, 0xfcfdbf}},
    {color_map::cividis,
     {0x00224e, 0x002656, 0x002a5f, 0x002d68, 0x003070, 0x083370, 0x163770, 0x203a6f, 0x273e6e,
      0x2e416d, 0x34456c, 0x3a486c, 0x3f4c6c, 0x444f6c, 0x49536c, 0x4e566c, 0x535a6d, 0x575d6d,
      0x5c616e, 0x60646f, 0x656870, 0x696b71, 0x6d6f72, 0x727274, 0x767676, 0x7a7a78, 0x7e7d78,
      0x838179, 0x888578, 0x8d8878, 0x928c78, 0x969077, 0x9b9476, 0xa09875, 0xa59c74, 0xaaa073,
      0xafa471, 0xb5a86f, 0xbaac6d, 0xbfb06b, 0xc4b468, 0xc9b965, 0xcfbd62, 0xd4c15f, 0xdac65b,
      0xdfca57, 0xe5cf52, 0xead34c, 0xf0d846, 0xf6dd3f, 0xfce236, 0xfee838}},
    {color_map::turbo,
     {0x30123b, 0x36215f, 0x3b2f80, 0x3f3e9c, 0x424bb5, 0x4559cb, 0x4666dd, 0x4773eb, 0x4680f6,
      0x458cfd, 0x4099ff, 0x38a5fb, 0x2fb2f4, 0x27bee9, 0x1fc9dd, 0x1ad4d0, 0x18ddc2, 0x1ae4b6,
      0x22ebaa, 0x2ff19b, 0x3ff68a, 0x52fa7a, 0x65fd69, 0x79fe59, 0x8bff4b, 0x9cfe40, 0xa9fb39,
      0xb7f735, 0xc3f134, 0xd0ea34, 0xdbe236, 0xe5d938, 0xeecf3a, 0xf5c53a, 0xfaba39, 0xfdae35,
      0xfea130, 0xfe932a, 0xfc8423, 0xf9751d, 0xf46617, 0xef5811, 0xe84b0c, 0xe14109, 0xd83706,
      0xce2d04, 0xc32503, 0xb71d02, 0xa91601, 0x9b0f01, 0x8b0902, 0x7a0403}},
    {color_map::coolwarm,
     {0x3b4cc0, 0x4055c8, 0x465ecf, 0x4c66d6, 0x536edd, 0x5977e3, 0x5f7fe8, 0x6687ed, 0x6c8ff1,
      0x7396f5, 0x7a9df8, 0x81a4fb, 0x88abfd, 0x8fb1fe, 0x96b7ff, 0x9dbdff, 0xa3c2fe, 0xaac7fd,
      0xb1cbfc, 0xb7cff9, 0xbed2f6, 0xc4d5f3, 0xcad8ef, 0xcfdaea, 0xd5dbe5, 0xdadce0, 0xdfdbd9,
      0xe4d9d2, 0xe9d5cb, 0xedd2c3, 0xf0cdbb, 0xf2c9b4, 0xf5c4ac, 0xf6bea4, 0xf7b89c, 0xf7b194,
      0xf7aa8c, 0xf6a385, 0xf59c7d, 0xf39475, 0xf08b6e, 0xed8366, 0xe97a5f, 0xe57058, 0xe16751,
      0xdc5d4a, 0xd65244, 0xd0473d, 0xca3b37, 0xc32e31, 0xbb1b2c, 0xb40426}},
};

double luminance(const rgb& c) { return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue; }

TEST(color_map, is_within_one_step_of_matplotlib) {
  for (const published& table : matplotlib_tables) {
    ASSERT_EQ(table.colors.size(), 52u);
    for (std::size_t i = 0; i < table.colors.size(); ++i) {
      const rgb ours = color_at(table.map, 5 * static_cast<double>(i) / 255);
      const std::uint32_t theirs = table.colors[i];
      SCOPED_TRACE(std::string(to_string(table.map)) + " " + std::to_string(5 * i));
      EXPECT_NEAR(ours.red, theirs >> 16, 1);
      EXPECT_NEAR(ours.green, (theirs >> 8) & 0xff, 1);
      EXPECT_NEAR(ours.blue, theirs & 0xff, 1);
    }
  }
}

TEST(color_map, grey_is_linear) {
  for (int i = 0; i < 256; ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    EXPECT_EQ(color_at(color_map::grey, i / 255.0), (rgb{value, value, value}));
  }
}

TEST(color_map, grows_lighter_all_the_way) {
  for (color_map map : all_color_maps) {
    if (map == color_map::turbo || map == color_map::coolwarm) continue;
    for (int i = 1; i < 224; ++i)
      // Rounding each channel to 8 bits may take half a step.
      EXPECT_GT(luminance(color_at(map, i / 223.0)),
                luminance(color_at(map, (i - 1) / 223.0)) - 0.5)
          << to_string(map) << ' ' << i;
  }
}

// Zero is neither warm nor cold, and both sides leave it alike.
TEST(color_map, coolwarm_is_light_in_the_middle) {
  const rgb middle = color_at(color_map::coolwarm, 0.5);
  EXPECT_NEAR(middle.red, middle.blue, 3);
  for (int i = 0; i < 100; ++i) {
    const double away = i / 200.0;
    EXPECT_LT(luminance(color_at(color_map::coolwarm, away)), luminance(middle) + 1);
    EXPECT_GT(color_at(color_map::coolwarm, away).blue, color_at(color_map::coolwarm, away).red);
    EXPECT_GT(color_at(color_map::coolwarm, 1 - away).red,
              color_at(color_map::coolwarm, 1 - away).blue);
  }
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
  EXPECT_EQ(color_map_named("gray"), color_map::grey);
}

TEST(color_map, refuses_unknown_names) {
  try {
    color_map_named("jet");
    FAIL();
  } catch (const invalid_argument& refusal) {
    EXPECT_STREQ(refusal.what(),
                 "color_map_named: name must be one of viridis, plasma, inferno, magma, cividis, "
                 "grey, turbo, coolwarm, not 'jet'");
  }
  EXPECT_THROW(to_string(static_cast<color_map>(17)), invalid_argument);
  EXPECT_THROW(color_at(static_cast<color_map>(17), 0.5), invalid_argument);
}

}  // namespace
}  // namespace papilio

#include "papilio/render.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

/// An entry of a table of 256 colours.
struct node {
  int entry;
  std::uint32_t color;  // 0xRRGGBB
};

// The entries, as few as serve, between which straight lines stay within one step in 255 of all
// entries of Matplotlib's tables. viridis, plasma, inferno and magma are by Stefan van der Walt,
// Nathaniel Smith and Eric Firing (https://bids.github.io/colormap/, CC0), cividis is by Nunez,
// Anderton and Renslow (PLOS ONE 13(7), e0199239, 2018).
constexpr std::array viridis_nodes{node{0, 0x440154},   node{17, 0x481a6c},  node{35, 0x46307e},
                                   node{58, 0x3e4c8a},  node{93, 0x2d708e},  node{129, 0x20928c},
                                   node{144, 0x1fa088}, node{157, 0x25ac82}, node{172, 0x38b977},
                                   node{184, 0x4ec36b}, node{203, 0x77d153}, node{233, 0xc5e021},
                                   node{242, 0xdde318}, node{248, 0xece51b}, node{255, 0xfde725}};

constexpr std::array plasma_nodes{node{0, 0x0d0887},   node{2, 0x130789},   node{12, 0x2a0593},
                                  node{35, 0x5102a3},  node{54, 0x6f00a8},  node{67, 0x8305a7},
                                  node{85, 0x9c179e},  node{113, 0xbd3786}, node{153, 0xe16462},
                                  node{188, 0xf79044}, node{216, 0xfeb82c}, node{233, 0xfbd324},
                                  node{251, 0xf2f227}, node{255, 0xf0f921}};

constexpr std::array inferno_nodes{
    node{0, 0x000004},   node{6, 0x02020e},   node{21, 0x110a30},  node{35, 0x260c51},
    node{45, 0x380962},  node{58, 0x4d0d6c},  node{80, 0x71196e},  node{103, 0x952667},
    node{126, 0xb93556}, node{150, 0xd94d3d}, node{172, 0xef6c23}, node{194, 0xfa9207},
    node{201, 0xfc9f07}, node{207, 0xfcaa0f}, node{220, 0xfac42a}, node{232, 0xf5db4c},
    node{241, 0xf1ec6d}, node{248, 0xf3f68a}, node{255, 0xfcffa4}};

constexpr std::array magma_nodes{
    node{0, 0x000004},   node{2, 0x010106},   node{12, 0x06051a},  node{29, 0x19103f},
    node{42, 0x2c115f},  node{54, 0x400f74},  node{66, 0x54137d},  node{90, 0x792282},
    node{120, 0xaa337d}, node{143, 0xcf4070}, node{159, 0xe55064}, node{172, 0xf2645c},
    node{187, 0xfa7f5e}, node{206, 0xfea36f}, node{227, 0xfeca8d}, node{255, 0xfcfdbf}};

constexpr std::array cividis_nodes{node{0, 0x00224e},   node{17, 0x002e6c},  node{23, 0x013271},
                                   node{26, 0x0c3470},  node{32, 0x1a386f},  node{47, 0x31436d},
                                   node{83, 0x555c6d},  node{130, 0x7e7d78}, node{162, 0x9d9576},
                                   node{195, 0xbfb06b}, node{224, 0xdec958}, node{241, 0xf1d945},
                                   node{251, 0xfde334}, node{255, 0xfee838}};

// turbo is by Anton Mikhailov (Google, 2019, Apache-2.0), coolwarm by Kenneth Moreland (Diverging
// Color Maps for Scientific Visualization, ISVC 2009).
constexpr std::array turbo_nodes{
    node{0, 0x30123b},   node{8, 0x392a73},   node{16, 0x4040a2},  node{24, 0x4456c7},
    node{32, 0x466be3},  node{40, 0x4680f6},  node{46, 0x448ffe},  node{52, 0x3d9efe},
    node{61, 0x2eb4f2},  node{72, 0x1ccdd8},  node{79, 0x18dbc5},  node{85, 0x1ae4b6},
    node{92, 0x27eea4},  node{100, 0x3ff68a}, node{116, 0x7dff56}, node{125, 0x9cfe40},
    node{133, 0xb1f936}, node{145, 0xd0ea34}, node{159, 0xecd13a}, node{169, 0xf9bc39},
    node{180, 0xfea130}, node{192, 0xfb7e21}, node{208, 0xeb500e}, node{222, 0xd43305},
    node{235, 0xb71d02}, node{248, 0x920b01}, node{255, 0x7a0403}};

constexpr std::array coolwarm_nodes{
    node{0, 0x3b4cc0},   node{22, 0x5572df},  node{42, 0x6f92f3},  node{64, 0x8db0fe},
    node{83, 0xa7c5fe},  node{104, 0xc3d5f4}, node{124, 0xd9dce1}, node{131, 0xe0dbd8},
    node{151, 0xf1cdba}, node{172, 0xf7b599}, node{190, 0xf59c7d}, node{212, 0xe8765c},
    node{232, 0xd44e41}, node{246, 0xc12b30}, node{254, 0xb50927}, node{255, 0xb40426}};

constexpr std::array grey_nodes{node{0, 0x000000}, node{255, 0xffffff}};

struct named_map {
  color_map map;
  std::string_view name;
  std::span<const node> nodes;
};
constexpr std::array maps{named_map{color_map::viridis, "viridis", viridis_nodes},
                          named_map{color_map::plasma, "plasma", plasma_nodes},
                          named_map{color_map::inferno, "inferno", inferno_nodes},
                          named_map{color_map::magma, "magma", magma_nodes},
                          named_map{color_map::cividis, "cividis", cividis_nodes},
                          named_map{color_map::grey, "grey", grey_nodes},
                          named_map{color_map::turbo, "turbo", turbo_nodes},
                          named_map{color_map::coolwarm, "coolwarm", coolwarm_nodes}};

const named_map& known(const char* function, color_map map) {
  const auto found = std::ranges::find(maps, map, &named_map::map);
  if (found == maps.end())
    throw invalid_argument(base_detail::message(function, ": color_map ", static_cast<int>(map),
                                                " is not one of all_color_maps"));
  return *found;
}

std::uint8_t rounded(double value) { return static_cast<std::uint8_t>(std::lround(value)); }

rgb interpolated(std::span<const node> nodes, double position) {
  const double at = position * 255;
  std::size_t above = 1;
  while (above + 1 < nodes.size() && nodes[above].entry < at) ++above;
  const node &left = nodes[above - 1], &right = nodes[above];
  const double share = (at - left.entry) / (right.entry - left.entry);
  const auto channel = [&](int shift) {
    const double low = (left.color >> shift) & 0xff, high = (right.color >> shift) & 0xff;
    return rounded(low + (high - low) * share);
  };
  return {channel(16), channel(8), channel(0)};
}

}  // namespace

rgb color_at(color_map map, double position) {
  const double inside = position > 0 ? std::min(position, 1.0) : 0.0;
  return interpolated(known("color_at", map).nodes, inside);
}

std::string_view to_string(color_map map) { return known("to_string", map).name; }

color_map color_map_named(std::string_view name) {
  const std::string_view spelling = name == "gray" ? "grey" : name;
  std::string names;
  for (const named_map& entry : maps) {
    if (entry.name == spelling) return entry.map;
    names.append(names.empty() ? "" : ", ").append(entry.name);
  }
  throw invalid_argument(
      base_detail::message("color_map_named: name must be one of ", names, ", not '", name, "'"));
}

}  // namespace papilio

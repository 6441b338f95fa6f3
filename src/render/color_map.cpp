#include "papilio/render/color_map.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

// Every fifth of the 256 entries of viridis and magma by Stefan van der Walt and Nathaniel Smith
// (https://bids.github.io/colormap/, CC0), rounded to 8 bits and interpolated linearly between.
constexpr std::size_t node_count = 52;
using node_table = std::array<std::uint32_t, node_count>;

constexpr node_table viridis_nodes = {
    0x440154, 0x46085c, 0x471063, 0x481769, 0x481d6f, 0x482475, 0x472a7a, 0x46307e, 0x453781,
    0x433d84, 0x414287, 0x3f4889, 0x3d4e8a, 0x3a538b, 0x38598c, 0x355e8d, 0x33638d, 0x31688e,
    0x2e6d8e, 0x2c718e, 0x2a768e, 0x297b8e, 0x27808e, 0x25848e, 0x23898e, 0x218e8d, 0x20928c,
    0x1f978b, 0x1e9c89, 0x1fa188, 0x21a585, 0x24aa83, 0x28ae80, 0x2eb37c, 0x35b779, 0x3dbc74,
    0x46c06f, 0x50c46a, 0x5ac864, 0x65cb5e, 0x70cf57, 0x7cd250, 0x89d548, 0x95d840, 0xa2da37,
    0xb0dd2f, 0xbddf26, 0xcae11f, 0xd8e219, 0xe5e419, 0xf1e51d, 0xfde725,
};

constexpr node_table magma_nodes = {
    0x000004, 0x02020b, 0x050416, 0x090720, 0x0e0b2b, 0x140e36, 0x1a1042, 0x21114e, 0x29115a,
    0x311165, 0x390f6e, 0x420f75, 0x4a1079, 0x52137c, 0x5a167e, 0x621980, 0x6a1c81, 0x721f81,
    0x792282, 0x812581, 0x892881, 0x912b81, 0x992d80, 0xa1307e, 0xaa337d, 0xb2357b, 0xba3878,
    0xc23b75, 0xca3e72, 0xd2426f, 0xd9466b, 0xe04c67, 0xe75263, 0xec5860, 0xf1605d, 0xf4695c,
    0xf7725c, 0xf97b5d, 0xfb8560, 0xfc8e64, 0xfd9869, 0xfea16e, 0xfeaa74, 0xfeb47b, 0xfebd82,
    0xfec68a, 0xfecf92, 0xfed89a, 0xfde2a3, 0xfdebac, 0xfcf4b6, 0xfcfdbf,
};

struct named_map {
  color_map map;
  std::string_view name;
};
constexpr std::array names{named_map{color_map::viridis, "viridis"},
                           named_map{color_map::magma, "magma"},
                           named_map{color_map::grey, "grey"}};

std::uint8_t rounded(double value) { return static_cast<std::uint8_t>(std::lround(value)); }

rgb interpolated(const node_table& nodes, double position) {
  const double at = position * static_cast<double>(node_count - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(at), node_count - 2);
  const double share = at - static_cast<double>(below);
  const auto channel = [&](int shift) {
    const double low = (nodes[below] >> shift) & 0xff, high = (nodes[below + 1] >> shift) & 0xff;
    return rounded(low + (high - low) * share);
  };
  return {channel(16), channel(8), channel(0)};
}

}  // namespace

rgb color_at(color_map map, double position) {
  const double inside = position > 0 ? std::min(position, 1.0) : 0.0;
  switch (map) {
    case color_map::viridis:
      return interpolated(viridis_nodes, inside);
    case color_map::magma:
      return interpolated(magma_nodes, inside);
    case color_map::grey:
      break;
  }
  const std::uint8_t value = rounded(255 * inside);
  return {value, value, value};
}

std::string_view to_string(color_map map) {
  for (const named_map& entry : names)
    if (entry.map == map) return entry.name;
  throw invalid_argument(
      base_detail::message("to_string: color_map ", static_cast<int>(map), " is not one of ours"));
}

color_map color_map_named(std::string_view name) {
  std::string known;
  for (const named_map& entry : names) {
    if (entry.name == name) return entry.map;
    known.append(known.empty() ? "" : ", ").append(entry.name);
  }
  throw invalid_argument(
      base_detail::message("color_map_named: name must be one of ", known, ", not '", name, "'"));
}

}  // namespace papilio

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio {

/// Sequential colour maps, all from dark (lowest level) to light (highest level).
/// viridis and magma are perceptually uniform and serve colour-blind readers; grey is linear in
/// the sRGB value, black to white.
enum class color_map { viridis, magma, grey };

inline constexpr std::array all_color_maps{color_map::viridis, color_map::magma, color_map::grey};

/// An sRGB colour.
struct rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend constexpr bool operator==(const rgb&, const rgb&) = default;
};

/// Colour at `position` in [0, 1]; positions outside, and NaN, are taken to the nearer end (NaN:
/// 0). viridis and magma are within one step in 255 of their published 256-entry tables.
PAPILIO_API rgb color_at(color_map map, double position);

/// "viridis", "magma" or "grey".
PAPILIO_API std::string_view to_string(color_map map);

/// The map of that name; invalid_argument, naming those there are, if there is none.
PAPILIO_API color_map color_map_named(std::string_view name);

}  // namespace papilio

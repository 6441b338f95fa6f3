#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio {

/// Sequential colour maps, all from dark (lowest level) to light (highest level). Matplotlib's five
/// are perceptually uniform and serve colour-blind readers; grey is linear in the sRGB value, black
/// to white.
enum class color_map { viridis, plasma, inferno, magma, cividis, grey };

inline constexpr std::array all_color_maps{color_map::viridis, color_map::plasma,
                                           color_map::inferno, color_map::magma,
                                           color_map::cividis, color_map::grey};

/// An sRGB colour.
struct rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend constexpr bool operator==(const rgb&, const rgb&) = default;
};

/// Colour at `position` in [0, 1]; positions outside, and NaN, are taken to the nearer end (NaN:
/// 0). Matplotlib's maps are within one step in 255 of its 256-entry tables. invalid_argument
/// unless the map is one of all_color_maps.
PAPILIO_API rgb color_at(color_map map, double position);

/// "viridis", "plasma", "inferno", "magma", "cividis" or "grey".
PAPILIO_API std::string_view to_string(color_map map);

/// The map of that name, "gray" for grey too; invalid_argument, naming those there are, if there is
/// none.
PAPILIO_API color_map color_map_named(std::string_view name);

}  // namespace papilio

#include "render/theme.hpp"

#include <array>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

constexpr std::array<std::string_view, 2> theme_names{"light", "dark"};

constexpr std::array<render_detail::theme_colors, 2> theme_tables{
    {{{255, 255, 255}, {0x1a, 0x1a, 0x1a}, {0xe2, 0xe2, 0xe2}, {0xc0, 0xc0, 0xc0}},
     {{0x14, 0x15, 0x1a}, {0xe6, 0xe6, 0xe6}, {0x33, 0x35, 0x3c}, {0x5a, 0x5c, 0x64}}}};

std::size_t index_of(picture_theme theme, const char* function) {
  const auto index = static_cast<std::size_t>(theme);
  if (index >= theme_names.size())
    throw invalid_argument(
        base_detail::message(function, ": theme must be one of picture_theme, not ", index));
  return index;
}

}  // namespace

std::string_view to_string(picture_theme theme) {
  return theme_names[index_of(theme, "to_string")];
}

picture_theme picture_theme_named(std::string_view name) {
  for (std::size_t i = 0; i < theme_names.size(); ++i)
    if (theme_names[i] == name) return static_cast<picture_theme>(i);
  throw invalid_argument(
      base_detail::message("picture_theme_named: name must be light or dark, not '", name, "'"));
}

namespace render_detail {

theme_colors colors_of(picture_theme theme, const char* function) {
  return theme_tables[index_of(theme, function)];
}

double pixel_scale(const std::optional<double>& dpi, const char* function) {
  if (!dpi) return 1;
  if (!(*dpi >= minimum_picture_dpi && *dpi <= maximum_picture_dpi))
    throw invalid_argument(base_detail::message(function, ": dpi must be ", minimum_picture_dpi,
                                                " to ", maximum_picture_dpi, ", not ", *dpi));
  return *dpi / 96;
}

}  // namespace render_detail
}  // namespace papilio

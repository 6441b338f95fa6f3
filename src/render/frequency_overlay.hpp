#pragma once

#include <string>
#include <vector>

#include "render/drawing.hpp"
#include "render/spectrogram_layout.hpp"

namespace papilio::render_detail {

/// Overlay of a picture's levels: marked frequencies as dotted lines, and their names in boxes; and
/// a curve, light between dark edges or the other way.
struct frequency_overlay {
  struct box {
    plot_extent where;
    std::string text;
    point start;  ///< of the text's baseline
  };
  std::vector<plot_extent> lines;  ///< dotted along their longer side
  std::vector<box> boxes;          ///< which touch no other box of their panel
  std::vector<plot_extent> curve;  ///< parts of it, one for each pixel of time
  std::vector<plot_extent> edges;  ///< around each part, within the panel
  std::size_t dot, period;         ///< of the lines, in pixels
  double text_size;

  /// Whether a line shows so many pixels from its beginning.
  bool is_dot(std::size_t along) const { return along % period < dot; }
};

frequency_overlay overlay_of(const text_ruler& ruler, const spectrogram_layout& l,
                             const spectrogram_picture& picture);

}  // namespace papilio::render_detail

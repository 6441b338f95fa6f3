#pragma once

#include "render/frequency_overlay.hpp"

namespace papilio::render_detail {

/// Adds the lines of marked times, dotted as those of frequencies, across every panel; where they are
/// too close to see through, short ones at the panel's end.
void add_marked_times(const spectrogram_layout& l, const spectrogram_picture& picture,
                      frequency_overlay& overlay);

}  // namespace papilio::render_detail

#pragma once

#include <span>
#include <vector>

#include "papilio/render.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// The strongest peaks of the mean power of segments. Where these are padded with zeros, side lobes
/// of the window are maxima too: those are left out that a stronger peak's lobes explain, twice over.
std::vector<spectral_peak> partials(std::span<const double> power, const stft_options& stft,
                                    double rate_hz, std::size_t count);

/// Marks of a picture, named by their frequencies.
std::vector<frequency_mark> marks_of(std::span<const spectral_peak> peaks);

}  // namespace papilio::cli

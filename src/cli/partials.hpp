#pragma once

#include <cstdint>
#include <span>

#include "papilio/render.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// The sound and the axis that a mean power spectrum belongs to, as pooled_spectrogram has it.
struct analysed_sound {
  const stft_options& stft;
  double rate_hz;
  std::uint64_t frames;
  const frequency_axis& axis;
};

/// The strongest peaks that lie on the axis and above 0 Hz. Of a sound that is no longer than the
/// segments those maxima are left out that the side lobes of its own ends explain.
std::vector<spectral_peak> partials(std::span<const double> power, const analysed_sound& of,
                                    std::size_t count);

/// Marks of a picture, named by their frequencies.
std::vector<frequency_mark> marks_of(std::span<const spectral_peak> peaks);

}  // namespace papilio::cli

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {

struct spectral_peak {
  double frequency_hz;
  double power;  ///< in the units of the spectrum
};

/// The strongest local maxima of a half spectrum |X|^2 of n_fft/2 + 1 powers, all on one scale on
/// which a sine of amplitude 1 reads 1 at a bin's centre; strongest first, at most `count`.
///
/// Position and level between bins are those of the lone tone whose transform under the window of
/// `stft` has the ratio of the two highest bins. Bins 0 and n_fft/2 are reported as they stand, a
/// constant of 1 as 1. A maximum within a main lobe's width of a stronger one is taken as a part of
/// it and left out, as is one within `separation_hz`, and anything more than `range_db` below the
/// strongest: 120 dB is below a bit of 16-bit sound and above the rounding of a float transform.
/// Side lobes of a strong tone are maxima too where n_fft is longer than the window.
/// O(bins log bins + bins * count).
/// shape_error unless power has n_fft/2 + 1 elements; invalid_argument as stft_plan, or if
/// rate_hz is not positive and finite, or separation_hz or range_db negative or NaN.
///
/// Under Hann a lone tone at least 4 bins from 0 and from n_fft/2 is found within 0.001 bins and
/// 0.01 dB (n_fft of 64 or more). Under the rectangular window the image at negative frequency
/// leaks in: 0.15 bins and 0.15 dB in that band at n_fft 64, less with length and distance.
/// Under the other windows: 0.01 bins and 0.02 dB where the main lobe is clear of the image.
PAPILIO_API std::vector<spectral_peak> find_peaks(std::span<const double> power,
                                                  const stft_options& stft, double rate_hz,
                                                  std::size_t count, double separation_hz = 0,
                                                  double range_db = 120);

}  // namespace papilio

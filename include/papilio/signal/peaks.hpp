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

/// The strongest local maxima of a half spectrum of n_fft/2 + 1 powers, strongest first, at most
/// `count`. Position and level between bins are those of the lone tone whose transform under the
/// window of `stft` has the ratio of the two highest bins. A maximum within two main lobes'
/// half-widths of a stronger one is taken as a part of that one and left out, as is anything more
/// than 100 dB below the strongest. shape_error unless power has n_fft/2 + 1 elements.
///
/// A lone tone is found within 0.001 bins and 0.01 dB (n_fft of 64 or more).
PAPILIO_API std::vector<spectral_peak> find_peaks(std::span<const double> power,
                                                  const stft_options& stft, double rate_hz,
                                                  std::size_t count);

}  // namespace papilio

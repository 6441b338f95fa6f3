#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio {

struct spectral_peak {
  double frequency_hz;
  double power;  ///< in the units of the spectrum
};

/// The strongest local maxima of a half spectrum of n_fft/2 + 1 powers, strongest first, at most
/// `count`. Between bins position and level come from the parabola through three levels in dB.
/// A maximum within `separation` bins of a stronger one belongs to that one's main lobe and is left
/// out, as is anything more than 100 dB below the strongest. shape_error unless power has
/// n_fft/2 + 1 elements.
///
/// Source: Smith, J.O., Spectral Audio Signal Processing, "Quadratic Interpolation of Spectral
/// Peaks".
PAPILIO_API std::vector<spectral_peak> find_peaks(std::span<const double> power, std::size_t n_fft,
                                                  double rate_hz, std::size_t count,
                                                  std::size_t separation = 4);

}  // namespace papilio

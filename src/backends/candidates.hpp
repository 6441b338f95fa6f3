#pragma once

#include "papilio/dispatch/candidate.hpp"

namespace papilio::backends_detail {

/// papilio's own plans.
fft_candidate host_fft();

/// FFTW 3; in builds with PAPILIO_FFTW only.
fft_candidate fftw_fft();

}  // namespace papilio::backends_detail

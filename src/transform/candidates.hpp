#pragma once

#include "papilio/transform/candidate.hpp"

namespace papilio::transform_detail {

/// papilio's own plans.
fft_candidate host_fft();

/// FFTW 3; in builds with PAPILIO_FFTW only.
fft_candidate fftw_fft();

}  // namespace papilio::transform_detail

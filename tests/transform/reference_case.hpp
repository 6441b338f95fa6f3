#pragma once

#include <cstddef>
#include <ostream>
#include <vector>

#include "support/nd.hpp"

namespace papilio::test {

enum class operation {
  fft,
  ifft_of_fft,
  rfft,
  irfft_of_rfft,
  irfft,
  hfft,
  ihfft,
  hfft_of_ihfft,
  fft2,
  fftn,
  ifftn_of_fftn,
  rfft2,
  irfft2_of_rfft2,
  rfftn,
  irfftn_of_rfftn
};

enum class signal { impulse, ones, tone, counting, real_noise, complex_noise };

/// How close the result must be to the oracle's, beside papilio's own bound:
///   elements   |got - expected| <= absolute + relative |expected|, each
///   maximum    greatest error <= relative * greatest expected
///   two_bins   bins 5 and 59 above n/2 - 1
enum class closeness { elements, maximum, two_bins };

/// One published test of a numerical FFT library, in single precision.
struct reference_case {
  const char* id;
  operation op;
  sizes extents;
  signal input;
  double relative, absolute;
  sizes lengths = {};                     ///< n or s, where given
  std::vector<std::ptrdiff_t> axes = {};  ///< where given
  closeness judged = closeness::elements;
};

const std::vector<reference_case>& reference_cases();

/// The id alone: it becomes part of the test's name.
inline void PrintTo(const reference_case& c, std::ostream* out) { *out << c.id; }

}  // namespace papilio::test

// The one place that names every backend, in the order of preference.
#include <vector>

#include "backends/candidates.hpp"

namespace papilio {

using namespace backends_detail;

std::span<const fft_candidate> fft_candidates() {
  static const std::vector<fft_candidate> all{
      host_fft(),
#ifdef PAPILIO_FFTW
      fftw_fft(),
#endif
  };
  return all;
}

}  // namespace papilio

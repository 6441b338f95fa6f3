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

std::span<const device_backend> device_backends() {
  static const std::vector<device_backend> all{emulated_device()};
  return all;
}

std::unique_ptr<accelerator> make_accelerator(const std::string& machine,
                                              const std::string& runtime) {
  return make_device(machine, runtime);
}

}  // namespace papilio

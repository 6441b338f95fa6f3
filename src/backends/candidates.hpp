#pragma once

#include "papilio/dispatch/candidate.hpp"
#include "papilio/dispatch/device_program.hpp"

namespace papilio::backends_detail {

/// papilio's own plans.
fft_candidate host_fft();

/// FFTW 3; in builds with PAPILIO_FFTW only.
fft_candidate fftw_fft();

/// Kernels on engine::device.
device_backend emulated_device();
std::unique_ptr<accelerator> make_device(const std::string& machine, const std::string& runtime);

}  // namespace papilio::backends_detail

#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runs.hpp"
#include "support/oracle.hpp"

// Transforms of host arrays on an emulated device, and what they are compared with.
namespace papilio::kernels::test {

using complex_values = std::vector<std::complex<float>>;

/// All real parts, then all imaginary ones: as kernels take them.
std::vector<float> planes_of(std::span<const std::complex<float>> x);
complex_values from_planes(std::span<const float> planes);

/// Elements of the array of a shape.
std::size_t count_of(const fft_row& shape);

/// fft_kernel of a row-major array, one launch.
complex_values device_fft(engine::device& on, const fft_row& shape,
                          std::span<const std::complex<float>> x);

/// The same transform by the definition in long double along axes of up to `definition_max`
/// elements, by the host's plan in double along longer ones.
std::vector<papilio::test::exact> host_fft(const fft_row& shape,
                                           std::span<const std::complex<float>> x,
                                           std::int64_t definition_max = 2048);

/// Relative error, in the Euclidean norm, of the host's plan in single precision along the last
/// axis, against what host_fft says.
double host_error(const fft_row& shape, std::span<const std::complex<float>> x,
                  std::span<const papilio::test::exact> expected);

}  // namespace papilio::kernels::test

#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/runs.hpp"
#include "support/oracle.hpp"

// The short-time Fourier transform by its definition, in long double, and runs on the device.
namespace papilio::kernels::test {

using test_exact = papilio::test::exact;

/// Hann's window with a slope, so that no symmetry hides an error.
std::vector<float> uneven_window(std::int64_t n);
std::vector<float> hann_window(std::int64_t n);

array<float, 2> normal_signals(std::int64_t channels, std::int64_t samples, unsigned seed);

/// Sample `t` of a padded channel.
long double padded_sample(const stft_problem& shape, const array<float, 2>& x, std::int64_t channel,
                          std::int64_t t);

/// [channels, segments, bins].
std::vector<test_exact> exact_spectra(const stft_problem& shape, const array<float, 2>& x);

/// [2, channels, segments, bins], as the device gives it.
array<float, 4> device_spectra(const stft_problem& shape, const array<float, 2>& x);

/// Of the other outputs: [channels, segments, width].
array<float, 3> device_features(const stft_problem& shape, const array<float, 2>& x);

}  // namespace papilio::kernels::test

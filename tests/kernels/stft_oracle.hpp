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

/// Leaves one in 14 of the values, at uneven places, so that exact sums of many segments take less
/// time.
void thin_out(std::span<float> values);

/// [channels, segments, bins].
std::vector<test_exact> exact_spectra(const stft_problem& shape, const array<float, 2>& x);

/// Of each: its square; and the bands of those.
std::vector<test_exact> exact_powers(const stft_problem& shape, const array<float, 2>& x);
std::vector<test_exact> exact_mel(const stft_problem& shape, const std::vector<test_exact>& powers);

/// Windowed inverse transforms, added up and divided: [channels, samples].
std::vector<test_exact> exact_overlap_add(const istft_problem& shape,
                                          const array<float, 4>& spectra);
array<float, 4> random_spectra(const istft_problem& shape, unsigned seed);

/// [2, channels, segments, bins], as the device gives it.
array<float, 4> device_spectra(const stft_problem& shape, const array<float, 2>& x,
                               const engine::machine_spec& machine = engine::trainium1(),
                               const precision_options& how = {});
/// Of planes.
std::vector<test_exact> joined(const array<float, 4>& spectra);

/// Of the other outputs: [channels, segments, width].
array<float, 3> device_features(const stft_problem& shape, const array<float, 2>& x,
                                const engine::machine_spec& machine = engine::trainium1(),
                                const precision_options& how = {});

/// [channels, samples]
array<float, 2> device_signals(const istft_problem& shape, const array<float, 4>& spectra,
                               const engine::machine_spec& machine = engine::trainium1(),
                               const precision_options& how = {});

}  // namespace papilio::kernels::test

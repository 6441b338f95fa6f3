#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/runs.hpp"
#include "support/oracle.hpp"

// Transforms of real numbers on the emulator, and what they should be.
namespace papilio::kernels::test {

using papilio::test::exact;
using bins = std::vector<std::complex<float>>;

inline std::int64_t count_of(const std::vector<std::int64_t>& extents) {
  std::int64_t n = 1;
  for (const std::int64_t e : extents) n *= e;
  return n;
}

/// The axis of a shape that is halved.
std::size_t halved(const fft_row& shape);

/// The kernels, from and to values in row-major order.
bins run_rfft(const fft_row& shape, const std::vector<float>& x,
              const engine::machine_spec& machine = engine::trainium1());
std::vector<float> run_irfft(const fft_row& shape, const bins& spectrum,
                             const engine::machine_spec& machine = engine::trainium1());

/// By the definition, axis after axis in long double, scale included.
std::vector<exact> expected_rfft(const fft_row& shape, const std::vector<float>& x);
std::vector<exact> expected_irfft(const fft_row& shape, const bins& spectrum);

/// Contiguous lines.
inline fft_row lines_of(std::int64_t batch, std::int64_t n, double scale = 1) {
  return {.extents = {batch, n}, .axes = {-1}, .scale = scale};
}

/// Normally distributed.
bins random_bins(std::int64_t count, unsigned seed);

}  // namespace papilio::kernels::test

#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {

/// Transforms along the middle axis of [outer, n, inner].
struct fft_axis_run {
  std::int64_t outer = 1, n = 1, inner = 1;
  bool inverse = false;
  double scale = 1;
  unsigned seed = 1;

  fft_row shape() const;
};

/// Seeded normal values and what the emulator makes of them, as complex numbers.
struct fft_axis_result {
  std::vector<std::complex<float>> in, out;
  double expected_error = 0;
};
fft_axis_result run(const fft_axis_run& what);

/// The results in at least double: of the definition in long double up to 300 points, by the host's
/// transform in double, which is tested against that, beyond.
std::vector<std::complex<double>> exact_of(const fft_axis_run& what,
                                           const std::vector<std::complex<float>>& in);

/// Relative errors, in the Euclidean norm and of the largest over the largest.
struct fft_errors {
  double euclidean = 0, maximum = 0;
};
fft_errors errors_of(const std::vector<std::complex<float>>& got,
                     const std::vector<std::complex<double>>& expected);

/// Expects errors that the model allows: at most three times the expected one, since single inputs
/// scatter about it.
void expect_values(const fft_axis_run& what);

}  // namespace papilio::kernels::test

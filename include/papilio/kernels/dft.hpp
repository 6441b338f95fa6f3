#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

struct dft_shape {
  std::int64_t n = 64;  ///< at most the array's rows (128)
  std::int64_t batch = 1;
  bool inverse = false;                        ///< exp(+2 pi i j k / n)
  double scale = 1;                            ///< on every output
  std::vector<float> window = {};              ///< of n: factors of the inputs; empty: none
  std::vector<std::complex<float>> mask = {};  ///< of n: factors of the outputs; empty: none
};

/// X[b, k] = scale mask[k] sum over j of window[j] x[b, j] exp(-+ 2 pi i j k / n), by one product
/// with an n x n matrix that holds window and mask, so that they cost nothing.
/// Input and output: [2, batch, n] fp32, real and imaginary planes.
/// A sum of 2 n products one after the other: `expected_error` grows with the root of n.
/// invalid_argument for n below 1 or above the array's rows, a batch below 1, a window or mask of
/// another length than n, and a scale that is not finite; resource_error beyond 64 bits.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel dft_kernel(const dft_shape& shape, const engine::machine_spec& machine);

}  // namespace papilio::kernels

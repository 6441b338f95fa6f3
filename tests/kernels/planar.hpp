#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {

/// Normally distributed [2, rows, columns]: the planes re and im.
array<float, 3> normal_planar(std::int64_t rows, std::int64_t columns, unsigned seed);
std::complex<double> element(const array<float, 3>& planar, std::int64_t i, std::int64_t j);

/// Launches a kernel once on a device of its own.
array<float, 3> run_once(const sized_kernel& sized, const std::vector<engine::launch_input>& inputs,
                         const engine::machine_spec& machine = engine::trainium1(),
                         const engine::device_options& options = {});

/// Rows of a complex product in double, and what bounds its rounding errors, element by element.
struct planar_product {
  std::vector<std::int64_t> rows;
  std::int64_t columns = 0;
  std::vector<std::complex<double>> values;
  /// Sums over k of (|Ar| |Br| + |Ai| |Bi|, |Ar| |Bi| + |Ai| |Br|).
  std::vector<std::complex<double>> magnitudes;
};
/// a [2, m, k] times b [2, k, n], or b transposed from [2, n, k]; every `step`th row.
planar_product exact_product(const array<float, 3>& a, const array<float, 3>& b, bool transposed,
                             std::int64_t step = 1);

/// Largest |error| over what the error model allows; at most 1. A part of C in four products is one
/// chain: in the array k terms with a rounding each, PSUM adds two a k tile (a part of k one more):
/// gamma_q of the magnitudes with q = k + 2 ceil(k / 128) + extra. Three products: sums of parts,
/// three chains and two differences, each on at most (|Ar| + |Ai|)(|Br| + |Bi|), the sum of both
/// parts' magnitudes: twice gamma_(q + 6) of it.
double worst_error(const array<float, 3>& c, const planar_product& exact, std::int64_t k,
                   int products, int extra = 1);

/// |got - expected| <= atol + rtol |expected| for both parts of every element.
void expect_close(const array<float, 3>& c, const planar_product& exact, double rtol, double atol);

/// |got - expected| / |expected| in the Euclidean norm.
double relative_distance(const array<float, 3>& c, const planar_product& exact);

}  // namespace papilio::kernels::test

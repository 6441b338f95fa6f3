#pragma once

#include <string>
#include <variant>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/arrangement_problem.hpp"
#include "papilio/dispatch/contraction_problem.hpp"
#include "papilio/dispatch/fft_problem.hpp"
#include "papilio/dispatch/gemm_problem.hpp"
#include "papilio/dispatch/integral_transform_problem.hpp"
#include "papilio/dispatch/pair_energy_problem.hpp"
#include "papilio/dispatch/product_problem.hpp"
#include "papilio/dispatch/stft_problem.hpp"

// What one may ask to be computed, as values: they can be compared, kept and printed. An
// accelerator does each of them in one launch. Each value has its checks and its counts in a file
// of its own.
namespace papilio {

/// An fft_problem here has the extents of the whole array. Types other than single_precision are
/// what accelerators refuse.
using operation = std::variant<fft_problem, stft_problem, istft_problem, product_problem,
                               gemm_problem, pair_energy_problem, integral_transform_problem,
                               arrangement_problem, contraction_problem>;

/// For example "gemm of 128x256 by 256x64 in float".
PAPILIO_API std::string to_string(const operation& what);

PAPILIO_API operand_shapes shapes_of(const operation& what);

/// invalid_argument, in the name of `function`, unless the problem is well formed, as it says itself.
PAPILIO_API void require_valid(const char* function, const operation& what);

/// Floating-point operations by convention: 5 N log2 N of complex transforms, half of it of real
/// ones (a segment of an STFT is one), 2 m k n of real products and 8 m k n of complex ones, 6 of a
/// product of two numbers, 2 for each product in the integrals of pair energies and integral
/// transforms, 0 of arrangements; of contractions those of their steps as products, 1 a product
/// without sums.
PAPILIO_API double nominal_flops(const operation& what);

}  // namespace papilio

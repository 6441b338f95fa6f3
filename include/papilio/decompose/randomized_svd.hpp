#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/decompose/operand.hpp"

namespace papilio {

struct randomized_svd_options {
  std::size_t oversampling = 10;     ///< columns that are tried beyond the rank
  std::size_t power_iterations = 2;  ///< products with A^T and A that sharpen the subspace
  std::uint64_t seed = 0;            ///< the same seed gives the same bits
  int threads = 0;  ///< 0: every core, of small problems one. The result does not depend on it.
};

namespace decompose_detail {
template <class T>
PAPILIO_API svd_factors<T> randomized_svd(const tensor_view<const T>& a, std::size_t rank,
                                          const randomized_svd_options& options);
}

/// The `rank` largest singular values of a matrix [m, n] and their vectors, nearly: u [m, rank], s
/// [rank] descending, vh [rank, n]. The range of A is found by products with random vectors, whose
/// directions are sharpened by QR between the power iterations; what lies in it is decomposed. The
/// error in the spectral norm is expected to be within (1 + c)^(1 / (2 power_iterations + 1)) of
/// the next singular value, c about sqrt(min(m, n) / oversampling). O(m n (rank + oversampling)
/// power_iterations).
///
/// invalid_argument: rank 0 or above min(m, n), an element that is not finite; shape_error: not a
/// matrix, an extent of 0; resource_error.
/// Halko, Martinsson, Tropp, SIAM Review 53 (2011) 217, algorithms 4.4 and 5.1.
template <class A>
  requires(decompose_detail::operand<A>)
svd_factors<decompose_detail::element_of<A>> randomized_svd(
    const A& a, std::size_t rank, const randomized_svd_options& options = {}) {
  return decompose_detail::randomized_svd<decompose_detail::element_of<A>>(a, rank, options);
}

}  // namespace papilio

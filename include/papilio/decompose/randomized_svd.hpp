#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/decompose/operand.hpp"

namespace papilio {

/// Options of `randomized_svd`.
struct randomized_svd_options {
  std::size_t oversampling = 10;     ///< columns beyond the rank that are tried
  std::size_t power_iterations = 2;  ///< products with A^T and A that sharpen the subspace
  std::uint64_t seed = 0;            ///< the same seed gives the same bits
  int threads = 0;  ///< 0: every core, for small problems one; the result is the same
};

namespace decompose_detail {
template <class T>
PAPILIO_API svd_factors<T> randomized_svd(const tensor_view<const T>& a, std::size_t rank,
                                          const randomized_svd_options& options);
}

/// Computes approximations of the `rank` largest singular values of a matrix [m, n] and their
/// vectors: u [m, rank], s [rank] descending, vh [rank, n]. Products with random vectors, with QR
/// between the power iterations, find the range of A; an SVD decomposes A within it. The error in
/// the spectral norm is expected to be within (1 + c)^(1 / (2 power_iterations + 1)) of the next
/// singular value, c about sqrt(min(m, n) / oversampling). O(m n (rank + oversampling)
/// power_iterations).
/// Source: Halko, Martinsson, Tropp, SIAM Review 53 (2011) 217, algorithms 4.4 and 5.1.
/// Throws invalid_argument if rank is 0 or above min(m, n), an element is not finite, or threads
/// are negative; shape_error if a is not a matrix or an extent is 0; resource_error if there is no
/// memory.
template <class A>
  requires(decompose_detail::operand<A>)
svd_factors<decompose_detail::element_of<A>> randomized_svd(
    const A& a, std::size_t rank, const randomized_svd_options& options = {}) {
  return decompose_detail::randomized_svd<decompose_detail::element_of<A>>(a, rank, options);
}

}  // namespace papilio

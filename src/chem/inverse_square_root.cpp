#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/blas/gemm.hpp"
#include "papilio/chem.hpp"

namespace papilio {
namespace {

using base_detail::message;

constexpr const char* who = "inverse_square_root";

void check(view<const double, 2> v) {
  const std::size_t n = v.extent(0);
  if (v.extent(1) != n)
    throw shape_error(message(who, ": must be square, got ", n, " x ", v.extent(1)));
  double largest = 0;
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t q = 0; q < n; ++q) {
      if (!std::isfinite(v(p, q)))
        throw invalid_argument(
            message(who, ": element [", p, ", ", q, "] must be finite, is ", v(p, q)));
      largest = std::max(largest, std::abs(v(p, q)));
    }
  // Integral programs leave differences of some roundings.
  const double bound = 1e-10 * largest;
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t q = 0; q < p; ++q)
      if (!(std::abs(v(p, q) - v(q, p)) <= bound))
        throw invalid_argument(message(who, ": must be symmetric, but [", p, ", ", q, "] is ",
                                       v(p, q), " and [", q, ", ", p, "] is ", v(q, p)));
}

}  // namespace

array<double, 2> inverse_square_root(view<const double, 2> v) {
  check(v);
  const std::size_t n = v.extent(0);
  array<double, 2> root({n, n});
  if (n == 0) return root;
  eigh_factors<double> factors = eigh(v);
  const double smallest = factors.values.data()[0], largest = factors.values.data()[n - 1];
  const double bound = largest * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  if (!(smallest > bound))
    throw invalid_argument(message(who, ": must be positive definite, but its eigenvalues go from ",
                                   smallest, " to ", largest, "; the smallest must exceed ",
                                   bound));
  // U diag(w^-1/4) times its transpose: symmetric to the bit, or nearly.
  for (std::size_t k = 0; k < n; ++k) {
    const double scale = 1 / std::sqrt(std::sqrt(factors.values.data()[k]));
    for (std::size_t p = 0; p < n; ++p) factors.vectors(p, k) *= scale;
  }
  gemm(1.0, factors.vectors, factors.vectors, 0.0, root, {.b = matrix_op::transpose});
  return root;
}

}  // namespace papilio

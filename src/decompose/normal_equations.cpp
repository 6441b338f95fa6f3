#include "decompose/normal_equations.hpp"

#include <algorithm>
#include <cmath>

#include "decompose/sums.hpp"
#include "papilio/base/error.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/blas/gemm.hpp"
#include "papilio/blas/triangular.hpp"

namespace papilio::decompose_detail {
namespace {

constexpr std::size_t small_rank = 64;     // up to here loops beat calls of BLAS
constexpr std::size_t block_columns = 64;  // of all rows together in the first cache
constexpr int passes = 3;

}  // namespace

normal_equations::normal_equations(std::size_t rank, double cutoff)
    : rank_(rank), cutoff_(cutoff), scaled_({rank, rank}), factor_({rank, rank}), scales_(rank) {}

void normal_equations::solve(const double* v, double* m, std::size_t columns) {
  scale(v);
  for (std::size_t r = 0; r < rank_; ++r)
    for (std::size_t i = 0; i < columns; ++i) m[r * columns + i] *= scales_.data()[r];
  if (factorize())
    substitute(m, columns);
  else
    project(m, columns);
  for (std::size_t r = 0; r < rank_; ++r)
    for (std::size_t i = 0; i < columns; ++i) m[r * columns + i] *= scales_.data()[r];
}

// D V D with a diagonal of ones, or of zeros where V's is zero.
void normal_equations::scale(const double* v) {
  double* const scales = scales_.data();
  for (std::size_t r = 0; r < rank_; ++r) {
    const double diagonal = v[r * rank_ + r];
    scales[r] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 0;
  }
  for (std::size_t r = 0; r < rank_; ++r)
    for (std::size_t s = 0; s < rank_; ++s)
      scaled_.data()[r * rank_ + s] = scales[r] * scales[s] * v[r * rank_ + s];
}

// L, and in its diagonal the reciprocals. False where a pivot says that V is nearly singular.
bool normal_equations::factorize() {
  const double least = cutoff_ * static_cast<double>(rank_);
  double* const l = factor_.data();
  if (rank_ > small_rank) {
    try {
      factor_ = cholesky(scaled_);
    } catch (const invalid_argument&) {
      return false;  // not positive definite
    }
    for (std::size_t r = 0; r < rank_; ++r)
      if (!(factor_(r, r) * factor_(r, r) > least)) return false;
    return true;
  }
  for (std::size_t r = 0; r < rank_; ++r) {
    const double* const row = scaled_.data() + r * rank_;
    for (std::size_t s = 0; s <= r; ++s) {
      double rest = row[s];
      for (std::size_t k = 0; k < s; ++k) rest -= l[r * rank_ + k] * l[s * rank_ + k];
      if (s < r) {
        l[r * rank_ + s] = rest * l[s * rank_ + s];
        continue;
      }
      if (!(rest > least)) return false;
      l[r * rank_ + r] = 1 / std::sqrt(rest);
    }
  }
  return true;
}

// L L^T S = M, whose rows are vectors; in blocks of columns.
void normal_equations::substitute(double* m, std::size_t columns) const {
  if (rank_ > small_rank) {
    const view<double, 2> right(m, {rank_, columns});
    const triangular_options lower{.triangle = matrix_triangle::lower};
    trsm(matrix_side::left, 1.0, factor_, right, lower, 1);
    return trsm(matrix_side::left, 1.0, factor_, right,
                {.triangle = matrix_triangle::lower, .op = matrix_op::transpose}, 1);
  }
  const double* const l = factor_.data();
  for (std::size_t first = 0; first < columns; first += block_columns) {
    const std::size_t count = std::min(block_columns, columns - first);
    const auto row = [&](std::size_t r) { return m + r * columns + first; };
    for (std::size_t r = 0; r < rank_; ++r) {
      for (std::size_t k = 0; k < r; ++k) add_scaled(-l[r * rank_ + k], row(k), row(r), count);
      for (std::size_t i = 0; i < count; ++i) row(r)[i] *= l[r * rank_ + r];
    }
    for (std::size_t r = rank_; r-- > 0;) {
      for (std::size_t k = r + 1; k < rank_; ++k)
        add_scaled(-l[k * rank_ + r], row(k), row(r), count);
      for (std::size_t i = 0; i < count; ++i) row(r)[i] *= l[r * rank_ + r];
    }
  }
}

void normal_equations::project(double* m, std::size_t columns) const {
  const eigh_factors<double> factors = eigh(scaled_);
  const double least = cutoff_ * factors.values(rank_ - 1);
  array<double, 2> along({rank_, columns}, uninitialized);
  const view<double, 2> right(m, {rank_, columns});
  gemm(1.0, factors.vectors, right, 0.0, along, {.a = matrix_op::transpose, .threads = 1});
  for (std::size_t r = 0; r < rank_; ++r) {
    const double value = factors.values(r), inverse = value > least ? 1 / value : 0;
    for (std::size_t i = 0; i < columns; ++i) along.data()[r * columns + i] *= inverse;
  }
  gemm(1.0, factors.vectors, along, 0.0, right, {.threads = 1});
}

void descend_nonnegative(const double* v, const double* m, double* s, std::size_t rank,
                         std::size_t columns) {
  array<double, 1> gradient(columns, uninitialized);
  double* const g = gradient.data();
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t r = 0; r < rank; ++r) {
      const double diagonal = v[r * rank + r];
      if (!(diagonal > 0)) continue;
      std::copy_n(m + r * columns, columns, g);
      for (std::size_t k = 0; k < rank; ++k)
        add_scaled(-v[r * rank + k], s + k * columns, g, columns);
      double* const row = s + r * columns;
      for (std::size_t i = 0; i < columns; ++i) row[i] = std::max(0.0, row[i] + g[i] / diagonal);
    }
}

}  // namespace papilio::decompose_detail

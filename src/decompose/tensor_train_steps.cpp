#include "decompose/tensor_train_steps.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "decompose/mode_product.hpp"
#include "decompose/two_factors.hpp"
#include "papilio/base/error.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

template <class T>
array<T, 2> product(view<const T, 2> a, view<const T, 2> b, int threads) {
  array<T, 2> result({a.extent(0), b.extent(1)}, uninitialized);
  gemm(T(1), a, b, T(0), result, {.threads = threads});
  return result;
}

template <class T>
bond_step<T> from_left(view<const T, 2> a, const truncation& keep, int threads) {
  subspace<T> s = leading_subspace(a.data(), {1, a.extent(0), a.extent(1)}, keep, threads);
  const view<const T, 2> left = s.vectors;
  array<T, 2> carry = s.is_identity ? converted<T>(a) : product(transposed(left), a, threads);
  return {std::move(s.vectors), std::move(carry), s.squared_tail};
}

// A V V^T with the leading right singular vectors V, and A V = Q R.
template <class T>
bond_step<T> from_right(view<const T, 2> a, const truncation& keep, int threads) {
  const subspace<T> s = leading_subspace(a.data(), {a.extent(0), a.extent(1), 1}, keep, threads);
  if (s.is_identity) {
    qr_factors<T> factors = qr(a);
    return {std::move(factors.q), std::move(factors.r), 0};
  }
  const view<const T, 2> right = s.vectors;
  qr_factors<T> factors = qr(product(a, right, threads));
  return {std::move(factors.q), product<T>(factors.r, transposed(right), threads), s.squared_tail};
}

}  // namespace

std::vector<std::size_t> bond_bounds(const char* function, std::span<const std::size_t> max_ranks,
                                     std::size_t order) {
  const std::size_t bonds = order - 1;
  if (!max_ranks.empty() && max_ranks.size() != 1 && max_ranks.size() != bonds)
    throw shape_error(message(function, ": max_ranks must be one for all bonds or one for each of ",
                              bonds, ", got ", max_ranks.size()));
  for (std::size_t i = 0; i < max_ranks.size(); ++i)
    if (max_ranks[i] == 0)
      throw invalid_argument(message(function, ": max_ranks[", i, "] must be at least 1, got 0"));
  if (max_ranks.empty())
    return std::vector<std::size_t>(bonds, std::numeric_limits<std::size_t>::max());
  if (max_ranks.size() == 1) return std::vector<std::size_t>(bonds, max_ranks[0]);
  return {max_ranks.begin(), max_ranks.end()};
}

template <class T>
bond_step<T> cut_bond(view<const T, 2> gapless, const truncation& keep, int threads) {
  const std::size_t rows = gapless.extent(0), columns = gapless.extent(1);
  truncation bounded = keep;
  bounded.max_rank = std::min({keep.max_rank, rows, columns});
  return rows <= columns ? from_left(gapless, bounded, threads)
                         : from_right(gapless, bounded, threads);
}

truncation bond_budget::take(std::size_t max_rank, bool exact_tail) {
  truncation keep{.max_rank = max_rank, .exact_tail = exact_tail};
  if (left >= 0) keep.budget = left / static_cast<double>(bonds--);
  return keep;
}

void bond_budget::spent(double squared_tail) {
  tail += squared_tail;
  if (left >= 0) left -= squared_tail;
}

template bond_step<float> cut_bond(view<const float, 2>, const truncation&, int);
template bond_step<double> cut_bond(view<const double, 2>, const truncation&, int);

}  // namespace papilio::decompose_detail

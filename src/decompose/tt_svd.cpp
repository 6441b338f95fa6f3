#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "decompose/prepared_operand.hpp"
#include "decompose/tensor_train_model.hpp"
#include "decompose/tensor_train_steps.hpp"
#include "decompose/tucker_steps.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::decompose_detail {
namespace {

// The shorter side of an unfolding, which bounds the noise of what is cut off.
double squared_noise(std::span<const std::size_t> ranks, std::span<const std::size_t> extents) {
  std::size_t longest = 1;
  for (std::size_t mode = 0; mode < extents.size(); ++mode)
    longest = std::max(longest, ranks[mode] * extents[mode]);
  return 1600 * static_cast<double>(longest) * std::numeric_limits<double>::epsilon();
}

template <class T>
tt_result<T> cut_all(const prepared_operand<T>& x, std::span<const std::size_t> bounds,
                     const std::optional<double>& tolerance, int threads) {
  tt_result<T> result;
  bond_budget budget{budget_of(tolerance, least_tolerance<T>(x.order()), x.squared_norm),
                     bounds.size()};
  const T* rest = x.data;
  std::size_t size = x.size, bond = 1;
  array<T, 2> carry;
  for (std::size_t mode = 0; mode + 1 < x.order(); ++mode) {
    const std::size_t rows = bond * x.extents[mode];
    const view<const T, 2> matrix(rest, {rows, size / rows});
    bond_step<T> step = cut_bond(matrix, budget.take(bounds[mode], false), threads);
    budget.spent(step.squared_tail);
    const std::size_t rank = step.left.extent(1);
    result.cores.push_back(as_core<T>(step.left, {bond, x.extents[mode], rank}));
    carry = std::move(step.carry);
    rest = carry.data();
    size = carry.size();
    bond = rank;
  }
  result.cores.push_back(
      as_core<T>(view<const T, 2>(rest, {bond, size / bond}), {bond, x.extents.back(), 1}));
  result.relative_error = root_of_ratio(budget.tail, x.squared_norm);
  return result;
}

}  // namespace

template <class T>
tt_result<T> tt_svd(const tensor_view<const T>& x, const tt_options& options) {
  constexpr const char* function = "tt_svd";
  thread_count(options.threads);
  check_shape(function, x.extents());
  const double bound = least_tolerance<T>(x.rank());
  if (options.tolerance) check_tolerance(function, *options.tolerance, bound);
  const std::vector<std::size_t> bounds = bond_bounds(function, options.max_ranks, x.rank());
  const prepared_operand<T> p = prepare(function, x);
  std::optional<double> tolerance = options.tolerance;
  if (!tolerance && options.max_ranks.empty()) tolerance = bound;
  tt_result<T> result = cut_all(p, bounds, tolerance, options.threads);
  const double noise = squared_noise(result.ranks(), p.extents);
  if (result.relative_error < std::max(least_cheap_error, std::sqrt(noise))) {
    const two_factors<double> split = split_train<double>(result, options.threads);
    result.relative_error =
        root_of_ratio(squared_residual(p.data, nullptr, 1, split, options.threads), p.squared_norm);
  }
  scale_back(function, result.cores.back().flat(), p.exponent);
  return result;
}

template PAPILIO_API tt_result<float> tt_svd(const tensor_view<const float>&, const tt_options&);
template PAPILIO_API tt_result<double> tt_svd(const tensor_view<const double>&, const tt_options&);

}  // namespace papilio::decompose_detail

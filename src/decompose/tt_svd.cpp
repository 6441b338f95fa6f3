#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "decompose/prepared_operand.hpp"
#include "decompose/sums.hpp"
#include "decompose/tensor_train_model.hpp"
#include "decompose/tensor_train_steps.hpp"
#include "decompose/train_rest.hpp"
#include "decompose/tucker_steps.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {
namespace {

// The shorter side of an unfolding, which bounds the noise of what is cut off.
double squared_noise(std::span<const std::size_t> ranks, std::span<const std::size_t> extents) {
  std::size_t longest = 1;
  for (std::size_t mode = 0; mode < extents.size(); ++mode)
    longest = std::max(longest, ranks[mode] * extents[mode]);
  return 1600 * static_cast<double>(longest) * std::numeric_limits<double>::epsilon();
}

// Cuts bond after bond. `take` gets the matrix [bond before * extent, bond after] of each core, the
// last one too; the squares that are cut off.
template <class T, class Take>
double cut_all(train_rest<T>& rest, std::span<const std::size_t> bounds, double squared_budget,
               const Take& take) {
  bond_budget budget{squared_budget, bounds.size()};
  for (const std::size_t bound : bounds) {
    const bond_cut<T> cut = rest.cut(budget.take(bound, false));
    budget.spent(cut.squared_tail);
    take(view<const T, 2>(cut.left));
  }
  const array<T, 1> last = rest.values();
  take(view<const T, 2>(last.data(), {last.size(), 1}));
  return budget.tail;
}

template <class T>
double explicit_error(const prepared_operand<T>& x, const tensor_train<T>& train, int threads) {
  const two_factors<double> split = split_train<double>(train, threads);
  return root_of_ratio(squared_residual(x.data, nullptr, 1, split, threads), x.squared_norm);
}

// All cores but the last are orthonormal: what x has beyond the last is cut off, unless the
// difference cancels.
template <class T>
double train_error(const prepared_operand<T>& x, const tensor_train<T>& train, int threads) {
  const array<T, 3>& last = train.cores.back();
  const double cut = x.squared_norm - dot(last.data(), last.data(), last.size());
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  if (cut < 1024 * epsilon * x.squared_norm) return explicit_error(x, train, threads);
  return root_of_ratio(cut, x.squared_norm);
}

}  // namespace

template <class T>
tt_result<T> tt_svd(const tensor_view<const T>& x, const tt_options& options) {
  constexpr const char* function = "tt_svd";
  check_shape(function, x.extents());
  const double bound = least_tolerance<T>(x.rank());
  if (options.tolerance) check_tolerance(function, *options.tolerance, bound);
  const std::vector<std::size_t> bounds = bond_bounds(function, options.max_ranks, x.rank());
  std::optional<double> tolerance = options.tolerance;
  if (!tolerance && options.max_ranks.empty()) tolerance = bound;
  runner on(function, options.on, real_type_of<T>, [&](runner& dry) {
    train_rest<T> rest(dry, nullptr, x.extents());
    cut_all(rest, bounds, tolerance ? 0 : -1, [](const view<const T, 2>&) {});
  });
  const prepared_operand<T> p = prepare(function, x);
  train_rest<T> rest(on, p.data, p.extents);
  tt_result<T> result;
  std::size_t bond = 1;
  const double tail = cut_all(rest, bounds, budget_of(tolerance, bound, p.squared_norm),
                              [&](const view<const T, 2>& m) {
                                const std::size_t extent = p.extents[result.cores.size()];
                                const std::size_t after = m.size() / (bond * extent);
                                result.cores.push_back(as_core<T>(m, {bond, extent, after}));
                                bond = after;
                              });
  result.relative_error = root_of_ratio(tail, p.squared_norm);
  const double noise = squared_noise(result.ranks(), p.extents);
  if (!on.is_host())
    result.relative_error = train_error<T>(p, result, options.on.threads);
  else if (result.relative_error < std::max(least_cheap_error, std::sqrt(noise)))
    result.relative_error = explicit_error<T>(p, result, options.on.threads);
  scale_back(function, result.cores.back().flat(), p.exponent);
  on.record("tensor train", p.extents);
  return result;
}

template PAPILIO_API tt_result<float> tt_svd(const tensor_view<const float>&, const tt_options&);
template PAPILIO_API tt_result<double> tt_svd(const tensor_view<const double>&, const tt_options&);

}  // namespace papilio::decompose_detail

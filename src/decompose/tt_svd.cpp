#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "decompose/prepared_operand.hpp"
#include "decompose/side.hpp"
#include "decompose/sums.hpp"
#include "decompose/tensor_train_model.hpp"
#include "decompose/tensor_train_steps.hpp"
#include "decompose/train_side.hpp"
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

template <class T>
tt_result<T> cut_all(const prepared_operand<T>& x, train_rest<T>& rest,
                     std::span<const std::size_t> bounds, const std::optional<double>& tolerance) {
  tt_result<T> result;
  bond_budget budget{budget_of(tolerance, least_tolerance<T>(x.order()), x.squared_norm),
                     bounds.size()};
  std::size_t bond = 1;
  for (std::size_t mode = 0; mode + 1 < x.order(); ++mode) {
    const bond_cut<T> cut = rest.cut(budget.take(bounds[mode], false));
    budget.spent(cut.squared_tail);
    const std::size_t rank = cut.left.extent(1);
    result.cores.push_back(as_core<T>(cut.left, {bond, x.extents[mode], rank}));
    bond = rank;
  }
  const array<T, 1> last = rest.values();
  result.cores.push_back(as_core<T>(view<const T, 2>(last.data(), {bond, x.extents.back()}),
                                    {bond, x.extents.back(), 1}));
  result.relative_error = root_of_ratio(budget.tail, x.squared_norm);
  return result;
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
  accelerator* const device = train_side<T>(function, x.extents(), bounds, options.on);
  const prepared_operand<T> p = prepare(function, x);
  std::optional<double> tolerance = options.tolerance;
  if (!tolerance && options.max_ranks.empty()) tolerance = bound;
  run_record runs;
  const auto rest = rest_on(function, device, p, options.on.threads, runs);
  tt_result<T> result = cut_all(p, *rest, bounds, tolerance);
  const double noise = squared_noise(result.ranks(), p.extents);
  if (device != nullptr)
    result.relative_error = train_error<T>(p, result, options.on.threads);
  else if (result.relative_error < std::max(least_cheap_error, std::sqrt(noise)))
    result.relative_error = explicit_error<T>(p, result, options.on.threads);
  scale_back(function, result.cores.back().flat(), p.exponent);
  record_side(device, "tensor train", p.extents, std::move(runs));
  return result;
}

template PAPILIO_API tt_result<float> tt_svd(const tensor_view<const float>&, const tt_options&);
template PAPILIO_API tt_result<double> tt_svd(const tensor_view<const double>&, const tt_options&);

}  // namespace papilio::decompose_detail

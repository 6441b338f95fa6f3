#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "decompose/leading_subspace.hpp"
#include "decompose/mode_product.hpp"
#include "decompose/models.hpp"
#include "decompose/runner.hpp"
#include "decompose/sums.hpp"
#include "decompose/tucker_steps.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

constexpr std::size_t most_modes_searched = 10;

// Multiplications of Gram matrix and truncation of `mode` where those of `done` are truncated.
double step_cost(std::span<const std::size_t> extents, std::span<const std::size_t> ranks,
                 std::size_t done, std::size_t mode) {
  if (ranks[mode] == extents[mode]) return 0;
  double size = 1;
  for (std::size_t m = 0; m < extents.size(); ++m)
    size *= static_cast<double>((done >> m & 1) != 0 ? ranks[m] : extents[m]);
  return size * (0.5 * static_cast<double>(extents[mode]) + static_cast<double>(ranks[mode]));
}

// The largest element of each column of `factor` becomes positive; `turn` changes its signs alike.
template <class T>
void turn_to_positive(array<T, 2>& factor, array<T, 2>& turn) {
  for (std::size_t r = 0; r < factor.extent(1); ++r) {
    T largest = 0;
    for (std::size_t i = 0; i < factor.extent(0); ++i)
      if (std::abs(factor(i, r)) > std::abs(largest)) largest = factor(i, r);
    if (largest >= 0) continue;
    for (std::size_t i = 0; i < factor.extent(0); ++i) factor(i, r) = -factor(i, r);
    for (std::size_t i = 0; i < turn.extent(0); ++i) turn(i, r) = -turn(i, r);
  }
}

// A mode's rank is at most the product of the others'. A tolerance that cut a mode when the others
// were longer may have kept more; the core has no more, so that nothing is lost.
template <class T>
void cut_to_the_others(tucker_model<T>& model, int threads) {
  for (std::size_t mode = 0; mode < model.order(); ++mode) {
    std::vector<std::size_t> ranks = model.ranks();
    const mode_split split = split_at(ranks, mode);
    if (split.extent <= split.columns()) continue;
    array<T, 2> turn =
        leading_subspace(model.core.data(), split, {.max_rank = split.columns()}, threads).vectors;
    const array<T, 2>& factor = model.factors[mode];
    array<T, 2> cut({factor.extent(0), turn.extent(1)}, uninitialized);
    gemm(T(1), factor, turn, T(0), cut, {.threads = threads});
    turn_to_positive(cut, turn);
    const array<T, 1> core =
        mode_product<T>(model.core.data(), split, transposed<T>(turn), threads);
    ranks[mode] = turn.extent(1);
    model.core = tensor<T>(ranks, uninitialized);
    std::ranges::copy(core, model.core.data());
    model.factors[mode] = std::move(cut);
  }
}

// The cheapest order, by dynamic programming over the sets of modes that are done.
std::vector<std::size_t> cheapest_order(std::span<const std::size_t> extents,
                                        std::span<const std::size_t> ranks) {
  const std::size_t order = extents.size(), sets = std::size_t{1} << order;
  std::vector<double> cost(sets, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> last(sets);
  cost[0] = 0;
  for (std::size_t done = 0; done < sets; ++done)
    for (std::size_t mode = 0; mode < order; ++mode) {
      if ((done >> mode & 1) != 0) continue;
      const std::size_t next = done | std::size_t{1} << mode;
      const double sum = cost[done] + step_cost(extents, ranks, done, mode);
      if (sum < cost[next]) cost[next] = sum, last[next] = mode;
    }
  std::vector<std::size_t> modes(order);
  for (std::size_t done = sets - 1, i = order; i-- > 0; done ^= std::size_t{1} << last[done])
    modes[i] = last[done];
  return modes;
}

}  // namespace

std::vector<std::size_t> truncation_order(std::span<const std::size_t> extents,
                                          std::span<const std::size_t> ranks) {
  if (!ranks.empty() && extents.size() <= most_modes_searched)
    return cheapest_order(extents, ranks);
  std::vector<std::size_t> modes(extents.size());
  std::iota(modes.begin(), modes.end(), std::size_t{0});
  std::ranges::stable_sort(modes, {}, [&](std::size_t mode) { return extents[mode]; });
  return modes;
}

void check_truncation(const char* function, std::span<const std::size_t> extents,
                      std::span<const std::size_t> ranks, const std::optional<double>& tolerance,
                      double bound) {
  if (ranks.empty() && !tolerance)
    throw invalid_argument(message(function, ": neither ranks nor a tolerance are given"));
  if (tolerance) check_tolerance(function, *tolerance, bound);
  if (ranks.empty()) return;
  if (ranks.size() != extents.size())
    throw shape_error(message(function, ": x has ", extents.size(), " modes, and there are ",
                              ranks.size(), " ranks"));
  for (std::size_t mode = 0; mode < ranks.size(); ++mode)
    if (ranks[mode] == 0 || ranks[mode] > extents[mode])
      throw invalid_argument(message(function, ": the rank of mode ", mode,
                                     " must be from 1 to its extent ", extents[mode], ", got ",
                                     ranks[mode]));
}

double budget_of(const std::optional<double>& tolerance, double bound, double squared_norm) {
  if (!tolerance) return -1;
  const double cut = *tolerance - bound / 2;
  return 0.98 * cut * cut * squared_norm;
}

template <class T>
double truncate_modes(mode_array<T>& x, std::span<const std::size_t> ranks, double budget,
                      std::vector<array<T, 2>>& factors) {
  const std::vector<std::size_t> extents = x.extents();
  factors.resize(extents.size());
  std::size_t modes_left = extents.size();
  double tail = 0;
  for (const std::size_t mode : truncation_order(extents, ranks)) {
    truncation keep{.max_rank = ranks.empty() ? extents[mode] : ranks[mode]};
    // Where ranks have taken more than there was, they alone decide from here on.
    if (budget >= 0) keep.budget = budget / static_cast<double>(modes_left--);
    subspace<T> s = x.leading(mode, mode + 1, keep);
    budget -= s.squared_tail;
    tail += s.squared_tail;
    factors[mode] = std::move(s.vectors);
    if (!s.is_identity) x.shorten(mode, factors[mode]);
  }
  return tail;
}

template <class T>
tucker_result<T> truncate(const prepared_operand<T>& x, mode_array<T>& values,
                          std::span<const std::size_t> ranks,
                          const std::optional<double>& tolerance, int threads) {
  tucker_result<T> result;
  const double budget = budget_of(tolerance, least_tolerance<T>(x.order()), x.squared_norm);
  const double tail = truncate_modes(values, ranks, budget, result.factors);
  result.core = tensor<T>(values.extents(), uninitialized);
  std::ranges::copy(values.values(), result.core.data());
  if (tolerance) cut_to_the_others(result, threads);
  result.relative_error = truncation_error<T>(
      x, result, result.core.flat(), values.has_exact_tails() ? std::optional(tail) : std::nullopt,
      std::ranges::max(x.extents), threads);
  return result;
}

template <class T>
tucker_result<T> tucker_sthosvd(const tensor_view<const T>& x, const tucker_options& options) {
  constexpr const char* function = "tucker_sthosvd";
  check_shape(function, x.extents());
  check_truncation(function, x.extents(), options.ranks, options.tolerance,
                   least_tolerance<T>(x.rank()));
  runner on(function, options.on, real_type_of<T>, [&](runner& dry) {
    mode_array<T> values(dry, nullptr, x.extents());
    std::vector<array<T, 2>> factors;
    truncate_modes(values, options.ranks, options.tolerance ? 0 : -1, factors);
    values.values();
  });
  const prepared_operand<T> p = prepare(function, x);
  mode_array<T> values(on, p.data, p.extents);
  tucker_result<T> result =
      truncate(p, values, options.ranks, options.tolerance, options.on.threads);
  scale_back(function, result.core.flat(), p.exponent);
  on.record("ST-HOSVD", p.extents);
  return result;
}

#define PAPILIO_INSTANTIATE(T)                                                                   \
  template double truncate_modes(mode_array<T>&, std::span<const std::size_t>, double,           \
                                 std::vector<array<T, 2>>&);                                     \
  template tucker_result<T> truncate(const prepared_operand<T>&, mode_array<T>&,                 \
                                     std::span<const std::size_t>, const std::optional<double>&, \
                                     int);                                                       \
  template PAPILIO_API tucker_result<T> tucker_sthosvd(const tensor_view<const T>&,              \
                                                       const tucker_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::decompose_detail

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "decompose/models.hpp"
#include "decompose/prepared_operand.hpp"
#include "decompose/sums.hpp"
#include "decompose/tensor_train_steps.hpp"
#include "decompose/train_rest.hpp"
#include "decompose/tucker_steps.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {
namespace {

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
  std::size_t longest = 1;
  for (const array<T, 3>& core : result.cores)
    longest = std::max(longest, core.extent(0) * core.extent(1));
  result.relative_error = truncation_error<T>(p, result, result.cores.back().flat(),
                                              on.is_host() ? std::optional(tail) : std::nullopt,
                                              longest, options.on.threads);
  scale_back(function, result.cores.back().flat(), p.exponent);
  on.record("tensor train", p.extents);
  return result;
}

template PAPILIO_API tt_result<float> tt_svd(const tensor_view<const float>&, const tt_options&);
template PAPILIO_API tt_result<double> tt_svd(const tensor_view<const double>&, const tt_options&);

}  // namespace papilio::decompose_detail

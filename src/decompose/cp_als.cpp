#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "decompose/cp_iteration.hpp"
#include "decompose/cp_side.hpp"
#include "decompose/side.hpp"
#include "papilio/decompose/cp.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

template <class T>
void check_arguments(const char* function, const tensor_view<const T>& x, std::size_t rank,
                     const cp_options<T>& options) {
  check_shape(function, x.extents());
  if (rank == 0) throw invalid_argument(message(function, ": rank must be at least 1, got 0"));
  if (options.max_iterations == 0)
    throw invalid_argument(message(function, ": max_iterations must be at least 1, got 0"));
  check_change(function, "tolerance", options.tolerance,
               static_cast<double>(std::numeric_limits<T>::epsilon()));
  if (options.start != cp_start::random && options.start != cp_start::svd)
    throw invalid_argument(message(function, ": start is no value of cp_start"));
  if (options.warm_start != nullptr)
    check_warm_start(function, *options.warm_start, x.extents(), rank);
}

// In all modes but the last the largest element of each column is made positive.
template <class T>
void fix_signs(cp_model<T>& model) {
  const std::size_t last = model.order() - 1;
  for (std::size_t r = 0; r < model.rank(); ++r)
    for (std::size_t mode = 0; mode < last; ++mode) {
      array<T, 2>& factor = model.factors[mode];
      T largest = 0;
      for (std::size_t i = 0; i < factor.extent(0); ++i)
        if (std::abs(factor(i, r)) > std::abs(largest)) largest = factor(i, r);
      if (!(largest < 0)) continue;
      for (std::size_t i = 0; i < factor.extent(0); ++i) factor(i, r) = -factor(i, r);
      array<T, 2>& other = model.factors[last];
      for (std::size_t i = 0; i < other.extent(0); ++i) other(i, r) = -other(i, r);
    }
}

// Components by descending weight, as columns.
template <class T>
void take_model(const cp_factors<T>& from, cp_model<T>& model) {
  const std::size_t rank = from.weights.size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t r) { return from.weights[r]; });
  model.weights = array<T, 1>(rank);
  for (std::size_t r = 0; r < rank; ++r) model.weights(r) = static_cast<T>(from.weights[order[r]]);
  for (const array<T, 2>& rows : from.rows) {
    array<T, 2> factor({rows.extent(1), rank}, uninitialized);
    for (std::size_t i = 0; i < factor.extent(0); ++i)
      for (std::size_t r = 0; r < rank; ++r) factor(i, r) = rows(order[r], i);
    model.factors.push_back(std::move(factor));
  }
}

template <class T>
void iterate(cp_iteration<T>& als, cp_result<T>& result, const cp_options<T>& options) {
  iteration_record& record = result.iteration;
  while (record.iterations < options.max_iterations && !record.converged && !record.stopped) {
    const double before = result.relative_error, now = als.sweep();
    const bool is_first = record.iterations == 0;
    result.relative_error = now;
    record.history.push_back(now);
    ++record.iterations;
    record.converged = now == 0 || (!is_first && std::abs(before - now) < options.tolerance);
    if (options.progress) record.stopped = !options.progress({record.iterations, now});
  }
}

}  // namespace

template <class T>
cp_result<T> cp_als(const tensor_view<const T>& x, std::size_t rank, const cp_options<T>& options) {
  constexpr const char* function = "cp_als";
  check_arguments(function, x, rank, options);
  accelerator* const device = cp_side(function, x.extents(), rank, options);
  const prepared_operand<T> p = prepare(function, x, options.mask);
  cp_result<T> result;
  run_record runs;
  const cp_operand<T> there = operand_on(function, device, p, rank, options, runs);
  cp_iteration<T> als(p, *there.products, starting_factors(p, *there.values, rank, options),
                      options);
  iterate(als, result, options);
  take_model(als.factors(), result);
  if (!options.nonnegative) fix_signs(result);
  scale_back(function, result.weights.flat(), p.exponent);
  record_side(device, "CP", p.extents, std::move(runs));
  return result;
}

template PAPILIO_API cp_result<float> cp_als(const tensor_view<const float>&, std::size_t,
                                             const cp_options<float>&);
template PAPILIO_API cp_result<double> cp_als(const tensor_view<const double>&, std::size_t,
                                              const cp_options<double>&);

}  // namespace papilio::decompose_detail

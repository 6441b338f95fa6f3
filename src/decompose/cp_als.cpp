#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "decompose/cp_iteration.hpp"
#include "decompose/device_products.hpp"
#include "decompose/partial_products.hpp"
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

// Missing elements need the host.
template <class T>
execution place_of(const char* function, const cp_options<T>& options) {
  execution on = options.on;
  if (!options.mask) return on;
  if (on.where == policy::device)
    throw invalid_argument(message(function, ": a mask is of the host only, the policy is device"));
  on.where = policy::host;
  return on;
}

// Runs all sweeps dry.
template <class T>
void count(runner& dry, std::span<const std::size_t> extents, std::size_t rank,
           const cp_options<T>& options) {
  mode_array<T> x(dry, nullptr, extents);
  if (options.start == cp_start::svd && options.warm_start == nullptr)
    for (std::size_t mode = 0; mode < extents.size(); ++mode) starting_vectors(x, mode, rank);
  device_products<T> products(dry, x.whole(), extents, rank);
  dry.repeat(options.max_iterations);
  for (std::size_t mode = 0; mode < extents.size(); ++mode) products.at(mode, {});
}

template <class T>
std::unique_ptr<mode_products<T>> products_of(runner& on, const prepared_operand<T>& x,
                                              const mode_array<T>& values, std::size_t rank) {
  if (on.is_host()) return std::make_unique<partial_products<T>>(x, rank, on.threads());
  return std::make_unique<device_products<T>>(on, values.whole(), x.extents, rank);
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
  runner on(function, place_of(function, options), real_type_of<T>,
            [&](runner& dry) { count(dry, x.extents(), rank, options); });
  const prepared_operand<T> p = prepare(function, x, options.mask);
  cp_result<T> result;
  mode_array<T> values(on, p.data, p.extents);
  const std::unique_ptr<mode_products<T>> products = products_of(on, p, values, rank);
  cp_iteration<T> als(p, *products, starting_factors(p, values, rank, options), options);
  iterate(als, result, options);
  take_model(als.factors(), result);
  if (!options.nonnegative) fix_signs(result);
  scale_back(function, result.weights.flat(), p.exponent);
  on.record("CP", p.extents);
  return result;
}

template PAPILIO_API cp_result<float> cp_als(const tensor_view<const float>&, std::size_t,
                                             const cp_options<float>&);
template PAPILIO_API cp_result<double> cp_als(const tensor_view<const double>&, std::size_t,
                                              const cp_options<double>&);

}  // namespace papilio::decompose_detail

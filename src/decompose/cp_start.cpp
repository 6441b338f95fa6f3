#include "decompose/cp_start.hpp"

#include <algorithm>
#include <cmath>

#include "decompose/leading_subspace.hpp"
#include "decompose/random_normal.hpp"
#include "decompose/sums.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

// Returns constant rows of length 1, which stay where normalize() is given a row of zeros.
template <class T>
array<T, 2> constant_rows(std::size_t rank, std::size_t extent) {
  array<T, 2> rows({rank, extent}, uninitialized);
  std::ranges::fill(rows, static_cast<T>(1 / std::sqrt(static_cast<double>(extent))));
  return rows;
}

template <class T>
void take_columns(cp_factors<T>& start, std::size_t mode, std::span<const double> values,
                  bool keeps_weights) {
  std::vector<double> lengths(start.weights.size());
  normalize(values.data(), start.rows[mode], lengths);
  if (!keeps_weights) return;
  for (std::size_t r = 0; r < lengths.size(); ++r) start.weights[r] *= lengths[r];
}

template <class T>
void fill_random(std::span<double> values, random_normal& random, bool nonnegative) {
  random.fill(values);
  if (nonnegative)
    for (double& v : values) v = std::abs(v);
}

template <class T>
void take_warm_start(const cp_model<T>& warm, int exponent, bool nonnegative,
                     cp_factors<T>& start) {
  const std::size_t rank = warm.rank();
  for (std::size_t r = 0; r < rank; ++r)
    start.weights[r] = std::ldexp(static_cast<double>(warm.weights(r)), -exponent);
  for (std::size_t mode = 0; mode < warm.order(); ++mode) {
    const std::size_t extent = warm.factors[mode].extent(0);
    std::vector<double> values(rank * extent);
    for (std::size_t r = 0; r < rank; ++r)
      for (std::size_t i = 0; i < extent; ++i) {
        const double value = static_cast<double>(warm.factors[mode](i, r));
        values[r * extent + i] = nonnegative ? std::max(value, 0.0) : value;
      }
    take_columns<T>(start, mode, values, true);
  }
  if (nonnegative)
    for (double& weight : start.weights) weight = std::max(weight, 0.0);
}

}  // namespace

template <class T>
void normalize(const double* values, array<T, 2>& rows, std::vector<double>& weights) {
  const std::size_t extent = rows.extent(1);
  for (std::size_t r = 0; r < rows.extent(0); ++r) {
    const double* const from = values + r * extent;
    T* const to = rows.data() + r * extent;
    weights[r] = std::sqrt(dot(from, from, extent));
    if (!(weights[r] > 0)) continue;
    const double scale = 1 / weights[r];
    for (std::size_t i = 0; i < extent; ++i) to[i] = static_cast<T>(from[i] * scale);
  }
}

template <class T>
void check_warm_start(const char* function, const cp_model<T>& warm,
                      std::span<const std::size_t> extents, std::size_t rank) {
  if (warm.rank() != rank)
    throw shape_error(message(function, ": the warm start has rank ", warm.rank(), ", and ", rank,
                              " is asked for"));
  if (warm.order() != extents.size())
    throw shape_error(message(function, ": the warm start has ", warm.order(), " factors, and x ",
                              extents.size(), " modes"));
  for (std::size_t mode = 0; mode < extents.size(); ++mode) {
    const array<T, 2>& factor = warm.factors[mode];
    if (factor.extent(0) != extents[mode] || factor.extent(1) != rank)
      throw shape_error(message(function, ": the warm start's factor of mode ", mode, " is ",
                                factor.extent(0), " x ", factor.extent(1), "; must be ",
                                extents[mode], " x ", rank));
    for (const T value : factor)
      if (!std::isfinite(value))
        throw invalid_argument(message(function, ": the warm start's factor of mode ", mode,
                                       " is not finite: ", value));
  }
  for (const T weight : warm.weights)
    if (!std::isfinite(weight))
      throw invalid_argument(
          message(function, ": a weight of the warm start is not finite: ", weight));
}

template <class T>
subspace<T> starting_vectors(mode_array<T>& x, std::size_t mode, std::size_t rank) {
  const mode_split split = split_at(x.extents(), mode);
  const std::size_t count = std::min({rank, split.extent, split.columns()});
  return x.leading(mode, mode + 1, {.max_rank = count, .whole_basis = true});
}

template <class T>
cp_factors<T> starting_factors(const prepared_operand<T>& x, mode_array<T>& there, std::size_t rank,
                               const cp_options<T>& options) {
  cp_factors<T> start;
  for (const std::size_t extent : x.extents) start.rows.push_back(constant_rows<T>(rank, extent));
  start.weights.assign(rank, 1);
  if (options.warm_start != nullptr) {
    take_warm_start(*options.warm_start, x.exponent, options.nonnegative, start);
    return start;
  }
  random_normal random(options.seed);
  for (std::size_t mode = 0; mode < x.order(); ++mode) {
    std::vector<double> values(rank * x.extents[mode]);
    fill_random<T>(values, random, options.nonnegative);
    if (options.start == cp_start::svd) {
      const subspace<T> s = starting_vectors(there, mode, rank);
      for (std::size_t r = 0; r < s.rank(); ++r)
        for (std::size_t i = 0; i < x.extents[mode]; ++i) {
          const double value = static_cast<double>(s.vectors(i, r));
          values[r * x.extents[mode] + i] = options.nonnegative ? std::abs(value) : value;
        }
    }
    take_columns<T>(start, mode, values, false);
  }
  // Equal weights whose sum is the norm of x.
  start.weights.assign(rank, std::sqrt(x.squared_norm) / static_cast<double>(rank));
  return start;
}

#define PAPILIO_INSTANTIATE(T)                                                                     \
  template void normalize(const double*, array<T, 2>&, std::vector<double>&);                      \
  template void check_warm_start(const char*, const cp_model<T>&, std::span<const std::size_t>,    \
                                 std::size_t);                                                     \
  template subspace<T> starting_vectors(mode_array<T>&, std::size_t, std::size_t);                 \
  template cp_factors<T> starting_factors(const prepared_operand<T>&, mode_array<T>&, std::size_t, \
                                          const cp_options<T>&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::decompose_detail

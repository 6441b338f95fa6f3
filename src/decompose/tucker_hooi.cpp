#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "decompose/mode_product.hpp"
#include "decompose/sums.hpp"
#include "decompose/tucker_steps.hpp"
#include "decompose/two_factors.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

void check_options(const char* function, const hooi_options& options, double epsilon) {
  thread_count(options.threads);
  if (options.max_iterations == 0)
    throw invalid_argument(message(function, ": max_iterations must be at least 1, got 0"));
  check_change(function, "change", options.change, epsilon);
}

// The modes but `mode`, the one that shortens most first.
template <class T>
std::vector<std::size_t> others_of(const tucker_model<T>& model, std::size_t mode) {
  std::vector<std::size_t> others;
  for (std::size_t m = 0; m < model.order(); ++m)
    if (m != mode) others.push_back(m);
  std::ranges::stable_sort(others, {}, [&](std::size_t m) {
    return static_cast<double>(model.factors[m].extent(1)) /
           static_cast<double>(model.factors[m].extent(0));
  });
  return others;
}

// x multiplied by the transposed factors of all modes but `mode`; `extents` become its.
template <class T>
array<T, 1> projected(const prepared_operand<T>& x, const tucker_model<T>& model, std::size_t mode,
                      std::vector<std::size_t>& extents, int threads) {
  array<T, 1> values;
  for (const std::size_t m : others_of(model, mode)) {
    const view<const T, 2> factor = model.factors[m];
    const T* const from = values.empty() ? x.data : values.data();
    values = mode_product(from, split_at(extents, m), transposed(factor), threads);
    extents[m] = factor.extent(1);
  }
  return values;
}

// Every factor becomes the best one for the others; then the core.
template <class T>
void sweep(const prepared_operand<T>& x, tucker_model<T>& model, int threads) {
  for (std::size_t mode = 0; mode < model.order(); ++mode) {
    std::vector<std::size_t> extents = x.extents;
    const array<T, 1> values = projected(x, model, mode, extents, threads);
    const mode_split split = split_at(extents, mode);
    const truncation keep{.max_rank = model.factors[mode].extent(1)};
    model.factors[mode] = leading_subspace(values.data(), split, keep, threads).vectors;
    if (mode + 1 < model.order()) continue;
    const view<const T, 2> factor = model.factors[mode];
    const array<T, 1> core = mode_product(values.data(), split, transposed(factor), threads);
    std::copy_n(core.data(), core.size(), model.core.data());
  }
}

// What is cut off has the norm that x has beyond the core's, unless the difference cancels.
template <class T>
double error_of(const prepared_operand<T>& x, const tucker_model<T>& model, int threads) {
  const double cut = x.squared_norm - dot(model.core.data(), model.core.data(), model.core.size());
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  if (cut < 1024 * epsilon * x.squared_norm) return explicit_error(x, model, threads);
  return root_of_ratio(cut, x.squared_norm);
}

template <class T>
void iterate(const prepared_operand<T>& x, hooi_result<T>& result, const hooi_options& options) {
  iteration_record& record = result.iteration;
  while (record.iterations < options.max_iterations && !record.converged && !record.stopped) {
    sweep<T>(x, result, options.threads);
    const double before = result.relative_error, now = error_of<T>(x, result, options.threads);
    result.relative_error = now;
    record.history.push_back(now);
    ++record.iterations;
    record.converged = now == 0 || std::abs(before - now) < options.change;
    if (options.progress) record.stopped = !options.progress({record.iterations, now});
  }
}

}  // namespace

template <class T>
hooi_result<T> tucker_hooi(const tensor_view<const T>& x, const hooi_options& options) {
  constexpr const char* function = "tucker_hooi";
  check_options(function, options, static_cast<double>(std::numeric_limits<T>::epsilon()));
  check_shape(function, x.extents());
  check_truncation(function, x.extents(), options.ranks, options.tolerance,
                   least_tolerance<T>(x.rank()));
  const prepared_operand<T> p = prepare(function, x);
  hooi_result<T> result{truncate(p, options.ranks, options.tolerance, options.threads), {}};
  iterate(p, result, options);
  scale_back(function, result.core.flat(), p.exponent);
  return result;
}

template PAPILIO_API hooi_result<float> tucker_hooi(const tensor_view<const float>&,
                                                    const hooi_options&);
template PAPILIO_API hooi_result<double> tucker_hooi(const tensor_view<const double>&,
                                                     const hooi_options&);

}  // namespace papilio::decompose_detail

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "decompose/models.hpp"
#include "decompose/runner.hpp"
#include "decompose/tucker_steps.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

void check_options(const char* function, const hooi_options& options, double epsilon) {
  if (options.max_iterations == 0)
    throw invalid_argument(message(function, ": max_iterations must be at least 1, got 0"));
  check_change(function, "change", options.change, epsilon);
}

// The modes but `mode`, the one that shortens most first.
template <class T>
std::vector<std::size_t> others_of(std::span<const array<T, 2>> factors, std::size_t mode) {
  std::vector<std::size_t> others;
  for (std::size_t m = 0; m < factors.size(); ++m)
    if (m != mode) others.push_back(m);
  std::ranges::stable_sort(others, {}, [&](std::size_t m) {
    return static_cast<double>(factors[m].extent(1)) / static_cast<double>(factors[m].extent(0));
  });
  return others;
}

// Every factor becomes the best one for the others; then the core, which is returned. A mode of
// full rank is left as it is, except with `has_unknown_ranks`: in a dry run whose ranks a tolerance
// has yet to find.
template <class T>
array<T, 1> sweep(mode_array<T>& values, std::span<array<T, 2>> factors,
                  bool has_unknown_ranks = false) {
  for (std::size_t mode = 0; mode < factors.size(); ++mode) {
    values.restart();
    for (const std::size_t m : others_of<T>(factors, mode)) values.shorten(m, factors[m]);
    const truncation keep{.max_rank = factors[mode].extent(1), .whole_basis = has_unknown_ranks};
    factors[mode] = values.leading(mode, mode + 1, keep).vectors;
  }
  values.shorten(factors.size() - 1, factors.back());
  return values.values();
}

template <class T>
void iterate(const prepared_operand<T>& x, mode_array<T>& values, hooi_result<T>& result,
             const hooi_options& options) {
  iteration_record& record = result.iteration;
  while (record.iterations < options.max_iterations && !record.converged && !record.stopped) {
    std::ranges::copy(sweep<T>(values, result.factors), result.core.data());
    const double before = result.relative_error;
    const double now =
        truncation_error<T>(x, result, result.core.flat(), {}, 0, options.on.threads);
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
  runner on(function, options.on, real_type_of<T>, [&](runner& dry) {
    mode_array<T> values(dry, nullptr, x.extents());
    std::vector<array<T, 2>> factors;
    truncate_modes(values, options.ranks, options.tolerance ? 0 : -1, factors);
    values.values();
    dry.repeat(options.max_iterations);
    sweep<T>(values, factors, options.tolerance.has_value());
  });
  const prepared_operand<T> p = prepare(function, x);
  mode_array<T> values(on, p.data, p.extents);
  hooi_result<T> result{truncate(p, values, options.ranks, options.tolerance, options.on.threads),
                        {}};
  iterate(p, values, result, options);
  scale_back(function, result.core.flat(), p.exponent);
  on.record("HOOI", p.extents);
  return result;
}

template PAPILIO_API hooi_result<float> tucker_hooi(const tensor_view<const float>&,
                                                    const hooi_options&);
template PAPILIO_API hooi_result<double> tucker_hooi(const tensor_view<const double>&,
                                                     const hooi_options&);

}  // namespace papilio::decompose_detail

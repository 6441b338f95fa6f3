#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "decompose/mode_product.hpp"
#include "decompose/prepared_operand.hpp"
#include "decompose/side.hpp"
#include "decompose/sums.hpp"
#include "decompose/tensor_train_model.hpp"
#include "decompose/tensor_train_steps.hpp"
#include "decompose/tucker_steps.hpp"
#include "papilio/base/error.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio {
namespace decompose_detail {
namespace {

using base_detail::message;

// Cores of a train in double, each scaled by a power of two to a largest magnitude near 1: products
// of cores neither overflow nor underflow. The train is theirs times 2^exponent.
struct scaled_cores {
  std::vector<array<double, 3>> cores;
  int exponent = 0;
};

template <class T>
scaled_cores scaled(const tensor_train<T>& train) {
  scaled_cores result;
  for (std::size_t mode = 0; mode < train.order(); ++mode) {
    const array<T, 3>& from = train.cores[mode];
    if (from.empty()) throw shape_error(message("tt_round: core ", mode, " is empty"));
    array<double, 3> core(from.extents(), uninitialized);
    double largest = 0;
    for (std::size_t i = 0; i < core.size(); ++i) {
      const double value = static_cast<double>(from.data()[i]);
      if (!std::isfinite(value))
        throw invalid_argument(
            message("tt_round: element ", i, " of core ", mode, " is not finite: ", value));
      core.data()[i] = value;
      largest = std::max(largest, std::abs(value));
    }
    const int exponent = largest > 0 ? std::ilogb(largest) : 0;
    for (double& value : core) value = std::ldexp(value, -exponent);
    result.exponent += exponent;
    result.cores.push_back(std::move(core));
  }
  return result;
}

array<double, 2> product(view<const double, 2> a, view<const double, 2> b) {
  array<double, 2> result({a.extent(0), b.extent(1)}, uninitialized);
  gemm(1.0, a, b, 0.0, result);
  return result;
}

// From the last core to the second: A = R^T Q^T with A^T = Q R, Q^T stays and R^T goes to the core
// before. The first core then has the norm of the whole.
void orthogonalize_from_right(std::vector<array<double, 3>>& cores) {
  for (std::size_t mode = cores.size(); mode-- > 1;) {
    const array<double, 3>& core = cores[mode];
    const qr_factors<double> factors = qr(transposed(columns_joined(core)));
    const std::size_t rank = factors.q.extent(1);
    const array<double, 3>& before = cores[mode - 1];
    const extents_type<3> extents{before.extent(0), before.extent(1), rank};
    cores[mode] = as_core(transposed<double>(factors.q), {rank, core.extent(1), core.extent(2)});
    const array<double, 2> moved = product(rows_joined(before), transposed<double>(factors.r));
    cores[mode - 1] = as_core<double>(moved, extents);
  }
}

void cut_from_left(std::vector<array<double, 3>>& cores, std::span<const std::size_t> bounds,
                   bond_budget& budget, int threads) {
  for (std::size_t mode = 0; mode + 1 < cores.size(); ++mode) {
    const extents_type<3> extents = cores[mode].extents();
    const bond_step<double> step =
        cut_bond(rows_joined(cores[mode]), budget.take(bounds[mode], true), threads);
    budget.spent(step.squared_tail);
    const std::size_t rank = step.left.extent(1);
    cores[mode] = as_core<double>(step.left, {extents[0], extents[1], rank});
    const array<double, 3>& after = cores[mode + 1];
    const extents_type<3> next{rank, after.extent(1), after.extent(2)};
    cores[mode + 1] = as_core<double>(product(step.carry, columns_joined(after)).view(), next);
  }
}

}  // namespace
}  // namespace decompose_detail

template <class T>
tt_result<T> tt_round(const tensor_train<T>& train, const tt_options& options) {
  using namespace decompose_detail;
  constexpr const char* function = "tt_round";
  require_host(function, options.on);
  check_train(function, train);
  check_shape(function, train.extents());
  const double bound = least_tolerance<T>(train.order());
  if (options.tolerance) check_tolerance(function, *options.tolerance, bound);
  const auto bounds = bond_bounds(function, options.max_ranks, train.order());
  scaled_cores work = scaled(train);
  orthogonalize_from_right(work.cores);
  const array<double, 3>& first = work.cores.front();
  const double squared_norm = dot(first.data(), first.data(), first.size());
  std::optional<double> tolerance = options.tolerance;
  if (!tolerance && options.max_ranks.empty()) tolerance = bound;
  bond_budget budget{budget_of(tolerance, bound, squared_norm), bounds.size()};
  cut_from_left(work.cores, bounds, budget, options.on.threads);
  scale_back<double>(function, work.cores.back().flat(), work.exponent);
  tt_result<T> result;
  for (const array<double, 3>& core : work.cores)
    result.cores.push_back(as_core<T>(converted<T>(rows_joined(core)).view(), core.extents()));
  for (const T value : result.cores.back())
    if (!std::isfinite(value))
      throw invalid_argument(message(
          function, ": the train is so large that its norm is beyond the range of its type"));
  result.relative_error = root_of_ratio(budget.tail, squared_norm);
  record_side(nullptr, "rounding of a tensor train", {}, {});
  return result;
}

template PAPILIO_API tt_result<float> tt_round(const tensor_train<float>&, const tt_options&);
template PAPILIO_API tt_result<double> tt_round(const tensor_train<double>&, const tt_options&);

}  // namespace papilio

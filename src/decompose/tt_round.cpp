#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "decompose/mode_product.hpp"
#include "decompose/models.hpp"
#include "decompose/prepared_operand.hpp"
#include "decompose/sums.hpp"
#include "decompose/tensor_train_steps.hpp"
#include "decompose/train_rest.hpp"
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

// Goes from the last core to the second: A = R^T Q^T with A^T = Q R, Q^T stays and R^T goes to the
// core before. The first core then has the norm of the whole.
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

void cut_from_left(runner& on, std::vector<array<double, 3>>& cores,
                   std::span<const std::size_t> bounds, bond_budget& budget) {
  for (std::size_t mode = 0; mode + 1 < cores.size(); ++mode) {
    const extents_type<3> extents = cores[mode].extents();
    const std::size_t matrix[] = {extents[0] * extents[1], extents[2]};
    train_rest<double> rest(on, cores[mode].data(), matrix);
    const bond_cut<double> cut = rest.cut(budget.take(bounds[mode], true));
    budget.spent(cut.squared_tail);
    const std::size_t rank = cut.left.extent(1);
    const array<double, 1> carry = rest.values();
    const array<double, 2> moved = product(view<const double, 2>(carry.data(), {rank, extents[2]}),
                                           columns_joined(cores[mode + 1]));
    const array<double, 3>& after = cores[mode + 1];
    const extents_type<3> next{rank, after.extent(1), after.extent(2)};
    cores[mode] = as_core<double>(cut.left, {extents[0], extents[1], rank});
    cores[mode + 1] = as_core<double>(moved, next);
  }
}

// The host; errors as runner's, and device_error for policy::device.
execution on_host(const char* function, const execution& on) {
  if (on.where == policy::device)
    throw device_error(message(function, ": it computes in double, which no accelerator does"));
  execution host = on;
  host.where = policy::host;
  return host;
}

}  // namespace
}  // namespace decompose_detail

template <class T>
tt_result<T> tt_round(const tensor_train<T>& train, const tt_options& options) {
  using namespace decompose_detail;
  constexpr const char* function = "tt_round";
  runner on(function, on_host(function, options.on), real_type::double_precision, [](runner&) {});
  check_model(function, train);
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
  cut_from_left(on, work.cores, bounds, budget);
  scale_back<double>(function, work.cores.back().flat(), work.exponent);
  tt_result<T> result;
  for (const array<double, 3>& core : work.cores)
    result.cores.push_back(as_core<T>(converted<T>(rows_joined(core)).view(), core.extents()));
  for (const T value : result.cores.back())
    if (!std::isfinite(value))
      throw invalid_argument(message(
          function, ": the train is so large that its norm is beyond the range of its type"));
  result.relative_error = root_of_ratio(budget.tail, squared_norm);
  on.record("rounding of a tensor train", {});
  return result;
}

template PAPILIO_API tt_result<float> tt_round(const tensor_train<float>&, const tt_options&);
template PAPILIO_API tt_result<double> tt_round(const tensor_train<double>&, const tt_options&);

}  // namespace papilio

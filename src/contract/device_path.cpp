#include "contract/device_path.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "contract/device_plan.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::contract_detail {
namespace {

using order = std::vector<std::array<std::size_t, 2>>;

constexpr std::size_t all_orders_up_to = 4;  // operands: 18 orders
constexpr std::uint64_t seeds = 4;

void add_new(std::vector<contraction_path>& all, contraction_path path) {
  const bool is_known = std::ranges::any_of(all, [&](const contraction_path& p) {
    return p.pairs == path.pairs && p.sliced == path.sliced;
  });
  if (!is_known) all.push_back(std::move(path));
}

void add_orders(std::vector<contraction_path>& all, const contraction_network& network,
                const order& so_far, std::size_t left) {
  if (left == 1) return add_new(all, path_of(network, so_far));
  for (std::size_t j = 1; j < left; ++j)
    for (std::size_t i = 0; i < j; ++i) {
      order next = so_far;
      next.push_back({i, j});
      add_orders(all, network, next, left - 1);
    }
}

std::vector<contraction_path> orders_of(const contraction_network& network,
                                        const path_options& options) {
  std::vector<contraction_path> all;
  path_options by_flops = options;
  by_flops.cost = path_cost::flops;
  by_flops.seconds = options.seconds / 2;
  add_new(all, find_path(network, by_flops));
  if (options.largest_intermediate == 0 && network.inputs.size() <= all_orders_up_to) {
    add_orders(all, network, {}, network.inputs.size());
    return all;
  }
  by_flops.seconds = options.seconds / 2 / static_cast<double>(seeds + 1);
  by_flops.search = path_search::greedy;
  add_new(all, find_path(network, by_flops));
  by_flops.search = path_search::random_greedy;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    by_flops.seed = options.seed + seed;
    add_new(all, find_path(network, by_flops));
  }
  return all;
}

}  // namespace

contraction_path fastest_path(const plan_problem& problem, const path_options& options,
                              const execution& on) {
  accelerator* const where = on.on;
  if (where == nullptr)
    throw device_error("einsum: path_cost::device_seconds needs an accelerator, got none");
  execution there{.where = policy::device, .on = where, .precision = on.precision};
  double least = std::numeric_limits<double>::infinity();
  contraction_path best;
  std::string why;
  for (contraction_path& path : orders_of(problem.expression.network, options)) {
    const lowered_plan lowered(problem, path, {.where = policy::host, .threads = 1});
    const comparison sides =
        explain(contract_detail::problem_of(problem, path, lowered.steps()), there);
    if (!sides.device_can()) {
      why = sides.device_refusal;
      continue;
    }
    if (sides.device.device_seconds >= least) continue;
    least = sides.device.device_seconds;
    best = std::move(path);
  }
  if (best.pairs.empty() && problem.extents.size() > 1)
    throw device_error(base_detail::message("einsum: path_cost::device_seconds: the accelerator ",
                                            where->name(), " cannot do it: ", why));
  return best;
}

}  // namespace papilio::contract_detail

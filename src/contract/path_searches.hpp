#pragma once

#include <optional>

#include "path_reconfigure.hpp"

namespace papilio::path_detail {

/// Flops of all steps of an order.
double flops_of(const search_network& network, const named_path& path);

/// The cheapest order; invalid_argument where that takes too many comparisons, too much memory or
/// more than the time.
named_path optimal_path(const search_network& network, const refinement& options);
/// The same, or none where it takes more than `work` comparisons. `known` is an order that is known,
/// which is returned if there is no better one.
std::optional<named_path> optimal_path_within(const search_network& network, double work,
                                              const named_path& known,
                                              const refinement& options = {});

/// Many greedy orders with random weights; the best of them are annealed and reconfigured. It ends
/// after a number of trials that the network alone decides, or at the time.
named_path random_greedy_path(const search_network& network, std::uint64_t seed,
                              const refinement& options);
/// The first part of it: some greedy orders, the best reconfigured.
named_path quick_path(const search_network& network, std::uint64_t seed, const refinement& options);

}  // namespace papilio::path_detail

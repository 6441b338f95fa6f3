#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"
#include "path_greedy.hpp"
#include "path_searches.hpp"
#include "path_slicing.hpp"

namespace papilio {
namespace {

using namespace path_detail;

void require_options(const path_options& options) {
  if (options.cost != path_cost::flops)
    throw invalid_argument("find_path: cost must be flops: no accelerator is named");
  if (!(options.seconds > 0))
    throw invalid_argument(
        base_detail::message("find_path: seconds must be positive, got ", options.seconds));
}

void require_reachable(const search_network& network, const path_options& options) {
  const double result = network.size_of(network.output.data());
  if (options.largest_intermediate == 0 ||
      result <= static_cast<double>(options.largest_intermediate))
    return;
  throw resource_error(base_detail::message("find_path: largest_intermediate is ",
                                            options.largest_intermediate,
                                            ", but the result alone has ", result, " elements"));
}

clock::time_point end_of(clock::time_point start, double seconds) {
  constexpr double longest = 1e9;
  return start + std::chrono::duration_cast<clock::duration>(
                     std::chrono::duration<double>(std::min(seconds, longest)));
}

struct found_path {
  named_path path = {};
  path_search search = path_search::optimal;
};

// Comparisons of the optimal search that automatic waits for.
constexpr double quick_work = 4e6;

found_path automatic_path(const search_network& network, const path_options& options,
                          const refinement& limits) {
  const named_path known = quick_path(network, options.seed, limits);
  if (auto path = optimal_path_within(network, quick_work, known, limits))
    return {*std::move(path)};
  if (limits.is_over()) return {known, path_search::random_greedy};
  return {random_greedy_path(network, options.seed, limits), path_search::random_greedy};
}

found_path search(const search_network& network, const path_options& options,
                  const refinement& limits) {
  if (network.operands == 1)
    return {.search =
                options.search == path_search::automatic ? path_search::optimal : options.search};
  switch (options.search) {
    case path_search::automatic:
      return automatic_path(network, options, limits);
    case path_search::optimal:
      return {optimal_path(network, limits)};
    case path_search::greedy:
      return {greedy_path(network, limits.last_end()).path, path_search::greedy};
    case path_search::random_greedy:
      break;
  }
  return {random_greedy_path(network, options.seed, limits), path_search::random_greedy};
}

}  // namespace

contraction_path find_path(const contraction_network& network, const path_options& options) {
  const clock::time_point start = clock::now();
  validate(network);
  require_options(options);
  const search_network searched = search_network_of(network);
  require_reachable(searched, options);
  const refinement limits{.end = end_of(start, options.seconds)};
  // Slicing improves the order for what it leaves: half of the time is its own.
  const bool is_limited = options.largest_intermediate > 0 && network.inputs.size() > 1;
  const refinement first{.end = end_of(start, is_limited ? options.seconds / 2 : options.seconds)};
  const found_path found = search(searched, options, first);
  contraction_path path;
  if (is_limited) {
    const sliced_path sliced =
        slice_path(network, found.path, options.largest_intermediate, options.seed, limits);
    path = path_of(network, positions_of(sliced.path), sliced.sliced);
  } else {
    path = path_of(network, positions_of(found.path));
  }
  path.search = found.search;
  path.seconds = std::chrono::duration<double>(clock::now() - start).count();
  return path;
}

}  // namespace papilio

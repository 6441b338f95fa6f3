// Optimal orders. Few operands are searched over all subsets. More are searched by connected parts:
// each part gets its cheapest order, and the parts are then multiplied, the two smallest first.
#include <algorithm>
#include <numeric>
#include <queue>

#include "papilio/base/error.hpp"
#include "path_connected.hpp"
#include "path_searches.hpp"

namespace papilio::path_detail {
namespace {

// Returns the sets of operands that labels connect, as sets of bits.
std::vector<word> connected_parts(const search_network& network) {
  std::vector<word> parts;
  word left = network.operands == 64 ? ~word(0) : (word(1) << network.operands) - 1;
  while (left) {
    word members = left & (~left + 1), edge = members;
    std::vector<word> labels(network.words);
    while (edge) {
      for_each_bit(&edge, 1, [&](std::size_t i) {
        for (std::size_t w = 0; w < network.words; ++w) labels[w] |= network.input(i)[w];
      });
      edge = 0;
      for_each_bit(&left, 1, [&](std::size_t i) {
        if (members >> i & 1) return;
        for (std::size_t w = 0; w < network.words; ++w)
          if (labels[w] & network.input(i)[w]) edge |= word(1) << i;
      });
      members |= edge;
    }
    parts.push_back(members);
    left &= ~members;
  }
  return parts;
}

// Returns the network of some operands alone.
search_network part_of(const search_network& network, const std::vector<int>& operands) {
  search_network part = network;
  part.operands = operands.size();
  part.inputs.clear();
  for (const int i : operands)
    part.inputs.insert(part.inputs.end(), network.input(std::size_t(i)),
                       network.input(std::size_t(i)) + network.words);
  std::vector<word> held(network.words);
  for (std::size_t i = 0; i < part.operands; ++i)
    for (std::size_t w = 0; w < network.words; ++w) held[w] |= part.input(i)[w];
  for (std::size_t w = 0; w < network.words; ++w) part.output[w] &= held[w];
  return part;
}

std::optional<named_path> subsets_path(const search_network& network, const named_path& known,
                                       clock::time_point end) {
  std::vector<const word*> sets;
  for (std::size_t i = 0; i < network.operands; ++i) sets.push_back(network.input(i));
  subset_search search(end);
  named_path path =
      search.run(network, sets, network.output.data(), flops_of(network, known) * (1 - 1e-12));
  if (search.gave_up()) return {};
  return path.empty() ? known : path;
}

// Searches a connected network, with a bound that grows up to the cost of the known path.
std::optional<named_path> connected_path(const search_network& network, const named_path& known,
                                         connected_limits& limits) {
  if (network.operands > most_connected_operands) return {};
  const word all = network.operands == 64 ? ~word(0) : (word(1) << network.operands) - 1;
  const double most = flops_of(network, known) * (1 - 1e-12);
  constexpr double growth = 8;
  connected_search search(network);
  for (double bound = most / (growth * growth);; bound = std::min(bound * growth, most)) {
    const connected_outcome outcome = search.run(all, bound, limits);
    if (outcome == connected_outcome::too_much) return {};
    if (outcome == connected_outcome::found) break;
    if (bound == most) return known;
  }
  named_path path;
  search.append_path(path);
  return path;
}

named_path join_parts(const search_network& network, const std::vector<std::vector<int>>& operands,
                      const std::vector<named_path>& paths) {
  using sized = std::pair<double, int>;
  std::priority_queue<sized, std::vector<sized>, std::greater<>> rest;
  named_path all;
  for (std::size_t p = 0; p < operands.size(); ++p) {
    const search_network part = part_of(network, operands[p]);
    const int offset = int(network.operands + all.size()), count = int(operands[p].size());
    const auto name = [&](int i) {
      return i < count ? operands[p][std::size_t(i)] : i - count + offset;
    };
    for (const auto& step : paths[p]) all.push_back({name(step[0]), name(step[1])});
    rest.push({network.size_of(part.output.data()), name(2 * count - 2)});
  }
  while (rest.size() > 1) {
    const sized a = rest.top();
    rest.pop();
    const sized b = rest.top();
    rest.pop();
    all.push_back({a.second, b.second});
    rest.push({a.first * b.first, int(network.operands + all.size()) - 1});
  }
  return all;
}

std::optional<named_path> within(const search_network& network, connected_limits limits,
                                 const named_path& known) {
  if (network.operands <= most_subset_operands) return subsets_path(network, known, limits.end);
  if (network.operands > most_connected_operands) return {};
  const std::vector<word> parts = connected_parts(network);
  if (parts.size() == 1) return connected_path(network, known, limits);
  std::vector<std::vector<int>> operands;
  std::vector<named_path> paths;
  const refinement until{.end = limits.end};
  for (const word members : parts) {
    operands.emplace_back();
    for_each_bit(&members, 1, [&](std::size_t i) { operands.back().push_back(int(i)); });
    const search_network part = part_of(network, operands.back());
    const named_path start = part.operands > 1 ? quick_path(part, 0, until) : named_path{};
    auto path = part.operands <= 2                      ? start
                : part.operands <= most_subset_operands ? subsets_path(part, start, limits.end)
                                                        : connected_path(part, start, limits);
    if (!path) return {};
    paths.push_back(*std::move(path));
  }
  path_tree tree(network, join_parts(network, operands, paths));
  random_source random(0);
  reconfigure(tree, 8, random, until);  // a scalar, say, is best multiplied with something small
  return tree.total() < flops_of(network, known) ? tree.path() : known;
}

}  // namespace

named_path optimal_path(const search_network& network, const refinement& options) {
  constexpr double work = 4e8;
  constexpr std::size_t kept = 2'000'000;
  if (network.operands > most_connected_operands)
    throw invalid_argument(
        base_detail::message("find_path: the optimal order is looked for of at "
                             "most ",
                             most_connected_operands, " operands, got ", network.operands));
  // Half of the time goes to a good first path, since a tight bound saves more than it takes.
  refinement half = options;
  half.end -= (options.end - clock::now()) / 2;
  const named_path known = network.operands > most_subset_operands
                               ? random_greedy_path(network, 0, half)
                               : quick_path(network, 0, half);
  if (auto path = within(network, {.work = work, .kept = kept, .end = options.end}, known))
    return *std::move(path);
  if (options.is_over())
    throw invalid_argument(base_detail::message(
        "find_path: the optimal order of ", network.operands,
        " operands takes longer than `seconds`; give it more, or use auto or random_greedy"));
  throw invalid_argument(
      base_detail::message("find_path: the optimal order of ", network.operands,
                           " operands takes more than ", work, " comparisons, ", kept,
                           " partial orders or 2048 kinds of labels; use auto or random_greedy"));
}

std::optional<named_path> optimal_path_within(const search_network& network, double work,
                                              const named_path& known, const refinement& options) {
  constexpr std::size_t kept = 200'000;
  return within(network, {.work = work, .kept = kept, .end = options.end}, known);
}

}  // namespace papilio::path_detail

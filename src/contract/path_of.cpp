// The cost of a given order. A step takes time O(labels of its operands).
#include <algorithm>
#include <iterator>
#include <utility>

#include "papilio/base/error.hpp"
#include "path_network.hpp"

namespace papilio {
namespace {

using namespace path_detail;

void require_pairs(std::size_t operands, std::span<const std::array<std::size_t, 2>> pairs) {
  if (pairs.size() + 1 != operands)
    throw invalid_argument(base_detail::message("path_of: ", operands, " operands take ",
                                                operands - 1, " steps, got ", pairs.size()));
  for (std::size_t step = 0; step < pairs.size(); ++step) {
    const std::size_t there = operands - step;
    for (const std::size_t position : pairs[step])
      if (position >= there)
        throw invalid_argument(base_detail::message("path_of: step ", step, " takes position ",
                                                    position, ", but there are ", there));
    if (pairs[step][0] == pairs[step][1])
      throw invalid_argument(base_detail::message("path_of: step ", step, " takes position ",
                                                  pairs[step][0], " twice"));
  }
}

void require_sliced(const contraction_network& network, std::span<const int> sliced) {
  std::vector<char> held(network.sizes.size());
  for (const auto& labels : network.inputs)
    for (const int label : labels) held[static_cast<std::size_t>(label)] = 1;
  for (const int label : sliced) {
    if (label < 0 || static_cast<std::size_t>(label) >= held.size() ||
        !held[static_cast<std::size_t>(label)])
      throw invalid_argument(base_detail::message("path_of: no operand has the sliced label ",
                                                  label, ", or it is sliced twice; there are ",
                                                  held.size(), " labels"));
    held[static_cast<std::size_t>(label)] = 0;
  }
}

// Counts, for each label, those that still have it; the result is one of them.
class step_counter {
 public:
  explicit step_counter(const search_network& network)
      : network_(network), holders_(network.labels) {
    for (std::size_t i = 0; i < network.operands; ++i) {
      there_.push_back(i);
      sets_.emplace_back();
      for_each_bit(network.input(i), network.words, [&](std::size_t label) {
        sets_.back().push_back(label);
        ++holders_[label];
      });
    }
    for_each_bit(network.output.data(), network.words,
                 [&](std::size_t label) { ++holders_[label]; });
  }

  void take(const std::array<std::size_t, 2>& pair, contraction_path& path) {
    const std::vector<std::size_t> a = std::move(sets_[there_[pair[0]]]);
    const std::vector<std::size_t> b = std::move(sets_[there_[pair[1]]]);
    for (const std::size_t label : a) --holders_[label];
    for (const std::size_t label : b) --holders_[label];
    std::vector<std::size_t> both, result;
    both.reserve(a.size() + b.size());
    std::ranges::set_union(a, b, std::back_inserter(both));
    double all = 1, kept = 1;
    for (const std::size_t label : both) {
      all *= network_.sizes[label];
      if (!holders_[label]) continue;
      result.push_back(label);
      ++holders_[label];
      kept *= network_.sizes[label];
    }
    path.macs += all;
    path.flops += result.size() < both.size() ? 2 * all : all;
    path.largest = std::max(path.largest, kept);
    there_.erase(there_.begin() + static_cast<std::ptrdiff_t>(std::max(pair[0], pair[1])));
    there_.erase(there_.begin() + static_cast<std::ptrdiff_t>(std::min(pair[0], pair[1])));
    there_.push_back(sets_.size());
    sets_.push_back(std::move(result));
  }

 private:
  const search_network& network_;
  std::vector<int> holders_;
  std::vector<std::vector<std::size_t>> sets_;  // by name: operands, then results
  std::vector<std::size_t> there_;              // names, in the order of the list
};

}  // namespace

contraction_path path_of(const contraction_network& network,
                         std::span<const std::array<std::size_t, 2>> pairs,
                         std::span<const int> sliced) {
  validate(network);
  require_pairs(network.inputs.size(), pairs);
  require_sliced(network, sliced);
  contraction_path path;
  path.pairs.assign(pairs.begin(), pairs.end());
  path.sliced.assign(sliced.begin(), sliced.end());
  for (const int label : sliced)
    path.slices *= static_cast<double>(network.sizes[static_cast<std::size_t>(label)]);
  const search_network reduced = search_network_of(network, sliced);
  step_counter counter(reduced);
  for (const auto& pair : pairs) counter.take(pair, path);
  path.macs *= path.slices;
  path.flops *= path.slices;
  return path;
}

}  // namespace papilio

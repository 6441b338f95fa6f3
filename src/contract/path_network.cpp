#include "path_network.hpp"

#include <algorithm>
#include <map>

namespace papilio::path_detail {

double search_network::size_of(const word* set) const {
  double size = 1;
  for_each_bit(set, words, [&](std::size_t label) { size *= sizes[label]; });
  return std::min(size, largest_cost);
}

double search_network::size_of_union(const word* a, const word* b) const {
  double size = 1;
  for (std::size_t w = 0; w < words; ++w)
    for (word rest = a[w] | b[w]; rest; rest &= rest - 1)
      size *= sizes[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
  return std::min(size, largest_cost);
}

namespace {

std::vector<char> flags_of(std::span<const int> labels, std::size_t count) {
  std::vector<char> flags(count);
  for (const int label : labels) flags[static_cast<std::size_t>(label)] = 1;
  return flags;
}

// The operands that have a label, ascending; the number of operands stands for the result.
std::vector<std::vector<std::size_t>> holders_of(const contraction_network& network) {
  std::vector<std::vector<std::size_t>> holders(network.sizes.size());
  const auto add = [&](const std::vector<int>& labels, std::size_t holder) {
    for (const int label : labels) {
      auto& of_label = holders[static_cast<std::size_t>(label)];
      if (of_label.empty() || of_label.back() != holder) of_label.push_back(holder);
    }
  };
  for (std::size_t i = 0; i < network.inputs.size(); ++i) add(network.inputs[i], i);
  add(network.output, network.inputs.size());
  return holders;
}

}  // namespace

search_network search_network_of(const contraction_network& network, std::span<const int> sliced) {
  const std::vector<char> left_out = flags_of(sliced, network.sizes.size());
  std::map<std::vector<std::size_t>, std::vector<int>> kinds;
  const auto holders = holders_of(network);
  for (std::size_t label = 0; label < holders.size(); ++label)
    if (!holders[label].empty() && !left_out[label])
      kinds[holders[label]].push_back(static_cast<int>(label));
  search_network result{.operands = network.inputs.size(),
                        .labels = kinds.size(),
                        .words = std::max<std::size_t>((kinds.size() + 63) / 64, 1)};
  result.inputs.resize(result.operands * result.words);
  result.output.resize(result.words);
  std::size_t label = 0;
  for (auto& [of_label, members] : kinds) {
    for (const std::size_t holder : of_label)
      (holder < result.operands ? result.inputs[holder * result.words + label / 64]
                                : result.output[label / 64]) |= word(1) << label % 64;
    double size = 1;
    for (const int member : members)
      size = std::min(size * static_cast<double>(network.sizes[static_cast<std::size_t>(member)]),
                      largest_cost);
    result.sizes.push_back(size);
    result.members.push_back(std::move(members));
    ++label;
  }
  return result;
}

std::vector<std::array<std::size_t, 2>> positions_of(const named_path& path) {
  std::vector<int> there(path.size() + 1);
  for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<int>(i);
  int next = static_cast<int>(there.size());
  std::vector<std::array<std::size_t, 2>> pairs;
  for (const auto& step : path) {
    // Names ascend in the list, as results are appended.
    auto a = std::ranges::lower_bound(there, std::min(step[0], step[1]));
    auto b = std::ranges::lower_bound(there, std::max(step[0], step[1]));
    pairs.push_back(
        {static_cast<std::size_t>(a - there.begin()), static_cast<std::size_t>(b - there.begin())});
    there.erase(b);
    there.erase(a);
    there.push_back(next++);
  }
  return pairs;
}

}  // namespace papilio::path_detail

// What a given order costs. Time O(steps * labels), memory O(operands * labels / 8) bytes.
#include <algorithm>

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
      there_.emplace_back(network.input(i), network.input(i) + network.words);
      count(there_.back().data(), 1);
    }
    count(network.output.data(), 1);
  }

  void take(const std::array<std::size_t, 2>& pair, contraction_path& path) {
    const std::vector<word> a = there_[pair[0]], b = there_[pair[1]];
    count(a.data(), -1);
    count(b.data(), -1);
    std::vector<word> result(network_.words);
    bool sums = false;
    double all = 1, kept = 1;
    for (std::size_t w = 0; w < network_.words; ++w)
      for (word rest = a[w] | b[w]; rest; rest &= rest - 1) {
        const std::size_t label = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        all *= network_.sizes[label];
        if (!holders_[label]) {
          sums = true;
          continue;
        }
        result[w] |= word(1) << label % 64;
        kept *= network_.sizes[label];
      }
    path.macs += all;
    path.flops += sums ? 2 * all : all;
    path.largest = std::max(path.largest, kept);
    count(result.data(), 1);
    there_.erase(there_.begin() + static_cast<std::ptrdiff_t>(std::max(pair[0], pair[1])));
    there_.erase(there_.begin() + static_cast<std::ptrdiff_t>(std::min(pair[0], pair[1])));
    there_.push_back(std::move(result));
  }

 private:
  void count(const word* set, int change) {
    for_each_bit(set, network_.words, [&](std::size_t label) { holders_[label] += change; });
  }

  const search_network& network_;
  std::vector<int> holders_;
  std::vector<std::vector<word>> there_;
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

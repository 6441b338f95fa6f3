#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/contract/path.hpp"

/// Searches for orders of pairwise contractions, inside of `contract`.
namespace papilio::path_detail {

using word = std::uint64_t;

/// Costs are held below this, so that sums and differences of them stay finite.
inline constexpr double largest_cost = 1e290;

/// Calls f(index) for each member of a set of bits, ascending.
template <class F>
void for_each_bit(const word* set, std::size_t words, F&& f) {
  for (std::size_t w = 0; w < words; ++w)
    for (word rest = set[w]; rest; rest &= rest - 1)
      f(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
}

/// A network as searches see it. Labels that are on the same operands, and alike in the result or
/// not, always go together: they are one here, whose size is the product. Sets of labels are
/// `words` words each.
struct search_network {
  std::size_t operands = 0, labels = 0, words = 0;
  std::vector<word> inputs = {};  ///< operands x words
  std::vector<word> output = {};
  std::vector<double> sizes = {};              ///< by label
  std::vector<std::vector<int>> members = {};  ///< labels of the network that each stands for

  const word* input(std::size_t operand) const { return inputs.data() + operand * words; }
  /// Elements of a tensor with these labels.
  double size_of(const word* set) const;
  /// Elements of a tensor with the labels of both sets.
  double size_of_union(const word* a, const word* b) const;
};

/// Returns a valid network as searches see it, without the labels of `sliced`.
search_network search_network_of(const contraction_network& network,
                                 std::span<const int> sliced = {});

/// Steps by names that stay: operands are 0 ... n - 1, the result of step i is n + i.
using named_path = std::vector<std::array<int, 2>>;

/// Returns the path by positions in the list of tensors that are left, as `contraction_path` has
/// them.
std::vector<std::array<std::size_t, 2>> positions_of(const named_path& path);

/// Cost of a step by the rule of `contraction_path::flops`.
inline double step_flops(double union_size, bool sums) {
  const double flops = sums ? 2 * union_size : union_size;
  return flops < largest_cost ? flops : largest_cost;
}

}  // namespace papilio::path_detail

#pragma once

#include <chrono>
#include <vector>

#include "path_network.hpp"

namespace papilio::path_detail {

using clock = std::chrono::steady_clock;

/// Beyond it, 3^n splits take too long.
inline constexpr std::size_t most_subset_operands = 16;

/// The cheapest order of few tensors, by dynamic programming over all their subsets: exact, with
/// every outer product. O(3^n) time at worst, O(2^n) memory; far less under a tight bound.
class subset_search {
 public:
  explicit subset_search(clock::time_point end = clock::time_point::max()) : end_(end) {}

  /// `sets` are the labels of the tensors, `outside` those that are needed after them. No result
  /// but the last has more than `largest` elements. Only orders cheaper than `bound` are looked
  /// for. The path is empty where there is none; invalid_argument with more than 16 tensors.
  named_path run(const search_network& network, const std::vector<const word*>& sets,
                 const word* outside, double bound, double largest = largest_cost);

  /// Whether the last run was not finished: the time was over, or its tensors had more than
  /// `most_kinds` kinds of labels.
  bool gave_up() const { return gave_up_; }

 private:
  template <std::size_t Words>
  void run_as();
  template <std::size_t Words>
  void split(std::size_t subset);
  void gather_kinds(const search_network& network, const std::vector<const word*>& sets,
                    const word* outside);
  int name_steps(std::size_t subset, named_path& path) const;

  struct kind {
    std::uint32_t holders;  ///< bits of the tensors; that above them: the outside
    double size;
  };
  clock::time_point end_;
  bool gave_up_ = false;
  std::size_t count_ = 0, words_ = 0;
  double bound_ = 0, largest_ = 0;
  std::vector<kind> kinds_;
  std::vector<std::uint32_t> holders_;
  std::vector<std::size_t> touched_;
  std::vector<word> any_, labels_;
  std::vector<double> tables_, best_;
  std::vector<std::uint32_t> part_;
};

}  // namespace papilio::path_detail

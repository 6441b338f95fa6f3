#pragma once

#include <unordered_map>
#include <vector>

#include "path_reconfigure.hpp"

namespace papilio::path_detail {

inline constexpr std::size_t most_connected_operands = 64;

/// Bounds of the search: pairs of partial orders that are looked at, how many are kept, and when
/// it ends.
struct connected_limits {
  double work;
  std::size_t kept;
  clock::time_point end;
};

enum class connected_outcome { found, no_better, too_much };

/// Search for the cheapest order of up to 64 operands, by dynamic programming over those subsets
/// that are connected, or are outer products that can pay, and that cost less than a bound.
class connected_search {
 public:
  explicit connected_search(const search_network& network);
  /// Looks for orders of the operands in `members` (a connected part) that cost less than `bound`.
  connected_outcome run(word members, double bound, connected_limits& limits);
  /// Appends the steps that it found. Operands have the network's names, and steps are named by
  /// their place in the path.
  void append_path(named_path& path) const;

 private:
  struct part {
    word members;
    double cost, size;
    int a, b;  ///< -1: an operand
    bool outer, ordinary;
  };
  struct step {
    double flops, size;
  };
  using level = std::vector<int>;

  void start(word members);
  void join_connected(const level& small, std::size_t other_count);
  void join_apart(const level& small, const level& large);
  void join(int a, int b, bool outer);
  void finish_level(std::size_t count);
  step combine(const word* x, const word* y, word members, word* result) const;
  bool exchange_pays(int outer, int other, double flops) const;
  double apart_factor(const part& a, const part& b) const;
  bool ordinary(const word* labels, word members) const;
  const word* set(int p) const { return labels_.data() + std::size_t(p) * words_; }
  bool is_too_much(double work);
  int name_steps(int p, named_path& path) const;

  const search_network& network_;
  std::size_t words_;
  std::vector<word> holders_;  ///< operands, by label
  word members_ = 0;
  double bound_ = 0;
  connected_limits* limits_ = nullptr;
  bool too_much_ = false;
  double work_at_next_look_ = 0;  ///< work that is left at the next look at the clock
  std::vector<part> parts_;
  std::vector<word> labels_;
  std::vector<level> levels_;                        ///< by number of operands
  std::vector<std::vector<level>> levels_by_label_;  ///< and by label
  std::unordered_map<word, int> found_;
  mutable std::vector<word> result_, inner_, last_;
};

}  // namespace papilio::path_detail

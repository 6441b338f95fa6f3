#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace papilio::engine_detail {

struct interval {
  double start_ns, end_ns;
};

/// A union of intervals of time. Adding near the latest is O(1), which is where work arrives; an
/// interval far back is found by bisection.
class interval_union {
 public:
  void add(double start_ns, double end_ns);
  void add(const interval_union& other);
  double total_ns() const;
  const std::vector<interval>& intervals() const { return intervals_; }

 private:
  std::vector<interval> intervals_;  // disjoint, in order
};

/// The length of a union of intervals that arrive in order: none starts before the one before it.
class ordered_union {
 public:
  void add(double start_ns, double end_ns) {
    if (end_ns <= end_ns_) return;
    total_ns_ += end_ns - std::max(start_ns, end_ns_);
    end_ns_ = end_ns;
  }
  double total_ns() const { return total_ns_; }

 private:
  double total_ns_ = 0, end_ns_ = 0;
};

/// One shared port: work is put into the first gap that is long enough, whichever engine asks
/// first, since both ask in the order of the program and not of time.
class port_schedule {
 public:
  /// The earliest start of `length_ns` from `ready_ns` on. Does not fall as `ready_ns` rises.
  double gap(double ready_ns, double length_ns) const;
  /// Takes what gap() found: nothing else may be in the interval.
  void take(double start_ns, double length_ns);
  /// Nothing will be asked for before this.
  void forget_before(double ns);

 private:
  std::size_t first_ending_after(double ns) const;

  std::vector<interval> busy_;  // disjoint, in order
  std::size_t first_ = 0;
};

}  // namespace papilio::engine_detail

#pragma once

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

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace papilio::engine_detail {

struct interval {
  double start_ns, end_ns;
};

/// A union of intervals of time. Adding an interval near the latest one, where most work arrives,
/// is O(1); a place far back is found by bisection.
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

/// The schedule of a port that two engines share. Work goes into the first gap that is long enough:
/// the engines ask in the order of the program, which is not the order of time.
class port_schedule {
 public:
  /// Returns the earliest start of a gap of `length_ns` from `ready_ns` on. The result does not
  /// fall as `ready_ns` rises.
  double gap(double ready_ns, double length_ns) const;
  /// Takes an interval that gap() found to be free.
  void take(double start_ns, double length_ns);
  /// Promises that no gap before `ns` will be asked for, so that the search skips that part.
  void forget_before(double ns);

 private:
  std::size_t first_ending_after(double ns) const;

  std::vector<interval> busy_;  // disjoint, in order
  std::size_t first_ = 0;
};

}  // namespace papilio::engine_detail

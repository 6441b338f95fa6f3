#include "engine/intervals.hpp"

#include <algorithm>

namespace papilio::engine_detail {

void interval_union::add(double start_ns, double end_ns) {
  if (end_ns <= start_ns) return;
  auto at = intervals_.end();
  while (at != intervals_.begin() && (at - 1)->end_ns >= start_ns) --at;
  // [at, past) are those that the new one touches.
  auto past = at;
  while (past != intervals_.end() && past->start_ns <= end_ns) {
    start_ns = std::min(start_ns, past->start_ns);
    end_ns = std::max(end_ns, past->end_ns);
    ++past;
  }
  if (past == at) {
    intervals_.insert(at, {start_ns, end_ns});
    return;
  }
  *at = {start_ns, end_ns};
  intervals_.erase(at + 1, past);
}

void interval_union::add(const interval_union& other) {
  std::vector<interval> all;
  all.reserve(intervals_.size() + other.intervals_.size());
  std::merge(intervals_.begin(), intervals_.end(), other.intervals_.begin(), other.intervals_.end(),
             std::back_inserter(all),
             [](const interval& a, const interval& b) { return a.start_ns < b.start_ns; });
  intervals_.clear();
  for (const interval& i : all) add(i.start_ns, i.end_ns);
}

double interval_union::total_ns() const {
  double total = 0;
  for (const interval& i : intervals_) total += i.end_ns - i.start_ns;
  return total;
}

double port_schedule::take(double ready_ns, double length_ns) {
  auto at = busy_.end();
  const auto begin = busy_.begin() + std::ptrdiff_t(first_);
  while (at != begin && (at - 1)->end_ns > ready_ns) --at;
  double start = ready_ns;
  for (; at != busy_.end() && at->start_ns < start + length_ns; ++at)
    start = std::max(start, at->end_ns);
  const auto before = at == begin ? busy_.end() : at - 1;
  if (before != busy_.end() && before->end_ns == start)
    before->end_ns = start + length_ns;
  else
    busy_.insert(at, {start, start + length_ns});
  return start;
}

void port_schedule::forget_before(double ns) {
  while (first_ < busy_.size() && busy_[first_].end_ns <= ns) ++first_;
  if (first_ > 1024 && first_ * 2 > busy_.size()) {
    busy_.erase(busy_.begin(), busy_.begin() + std::ptrdiff_t(first_));
    first_ = 0;
  }
}

}  // namespace papilio::engine_detail

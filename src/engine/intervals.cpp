#include "engine/intervals.hpp"

#include <algorithm>

namespace papilio::engine_detail {

namespace {

// Returns the first of disjoint intervals in order whose end fulfils `past`; all later ends must
// fulfil it too.
template <class Iterator, class Past>
Iterator first_ending(Iterator begin, Iterator end, const Past& past) {
  constexpr std::ptrdiff_t near = 8;
  auto at = end;
  for (std::ptrdiff_t i = 0; i < near; ++i) {
    if (at == begin || !past((at - 1)->end_ns)) return at;
    --at;
  }
  return std::partition_point(begin, at, [&](const interval& i) { return !past(i.end_ns); });
}

}  // namespace

void interval_union::add(double start_ns, double end_ns) {
  if (end_ns <= start_ns) return;
  const auto at = first_ending(intervals_.begin(), intervals_.end(),
                               [&](double end) { return end >= start_ns; });
  // The new interval touches the intervals [at, past), which merge with it.
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

std::size_t port_schedule::first_ending_after(double ns) const {
  const auto begin = busy_.begin() + std::ptrdiff_t(first_);
  return std::size_t(first_ending(begin, busy_.end(), [&](double end) { return end > ns; }) -
                     busy_.begin());
}

double port_schedule::gap(double ready_ns, double length_ns) const {
  if (busy_.empty() || busy_.back().end_ns <= ready_ns) return ready_ns;
  double start = ready_ns;
  for (std::size_t i = first_ending_after(ready_ns);
       i < busy_.size() && busy_[i].start_ns < start + length_ns; ++i)
    start = std::max(start, busy_[i].end_ns);
  return start;
}

void port_schedule::take(double start_ns, double length_ns) {
  if (length_ns <= 0) return;
  if (first_ < busy_.size() && busy_.back().end_ns == start_ns) {  // in order, most often
    busy_.back().end_ns = start_ns + length_ns;
    return;
  }
  const std::size_t at = first_ending_after(start_ns);
  if (at > first_ && busy_[at - 1].end_ns == start_ns)
    busy_[at - 1].end_ns = start_ns + length_ns;
  else
    busy_.insert(busy_.begin() + std::ptrdiff_t(at), {start_ns, start_ns + length_ns});
}

void port_schedule::forget_before(double ns) {
  while (first_ < busy_.size() && busy_[first_].end_ns <= ns) ++first_;
  if (first_ > 1024 && first_ * 2 > busy_.size()) {
    busy_.erase(busy_.begin(), busy_.begin() + std::ptrdiff_t(first_));
    first_ = 0;
  }
}

}  // namespace papilio::engine_detail

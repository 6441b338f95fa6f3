#include "engine/access_log.hpp"

#include <algorithm>

namespace papilio::engine_detail {
namespace {

// Makes one record stand for two accesses of one queue. It takes the later position and the later
// end, which may belong to different accesses: a stationary operand is loaded while the multiply
// before it still reads the same bytes.
void stand_for_both(access& old, const access& later) {
  old.position = later.position;
  if (later.end_ns < old.end_ns) return;
  old.end_ns = later.end_ns;
  old.instruction = later.instruction;
}

}  // namespace

void access_log::block::take_bounds_of(const access& a) {
  lo = std::min(lo, a.bytes.lo);
  hi = std::max(hi, a.bytes.hi);
  latest_ns = std::max(latest_ns, a.end_ns);
}

void access_log::block::add(std::size_t at, const access& a) {
  if (records.empty()) *this = {std::move(records), a.bytes.lo, a.bytes.hi, a.end_ns};
  records.insert(records.begin() + std::ptrdiff_t(at), a);
  take_bounds_of(a);
}

access_log::block access_log::block::split() {
  const auto middle = records.begin() + std::ptrdiff_t(records.size() / 2);
  block upper;
  for (auto a = middle; a != records.end(); ++a) upper.add(upper.records.size(), *a);
  records.erase(middle, records.end());
  block lower;
  for (const access& a : records) lower.add(lower.records.size(), a);
  *this = std::move(lower);
  return upper;
}

void access_log::group::clear() {
  blocks_.resize(1);
  blocks_.front().records.clear();
}

void access_log::group::erase_within(const region& bytes) {
  const auto [low, high] = keys_of(bytes);
  const auto first = blocks_.begin() + (first_block({low, nowhere}) - blocks_.cbegin());
  bool is_one_empty = false;
  auto b = first;
  for (; b != blocks_.end() && key(b->records.front().bytes) < high; ++b) {
    if (!b->meets(bytes)) continue;
    std::vector<access>& records = b->records;
    const auto from = records.begin() + (first_in(records, {low, nowhere}) - records.cbegin()),
               to = records.begin() + (first_in(records, {high, nowhere}) - records.cbegin());
    records.erase(
        std::remove_if(from, to, [&](const access& a) { return contains(bytes, a.bytes); }), to);
    is_one_empty = is_one_empty || records.empty();
  }
  if (!is_one_empty) return;
  blocks_.erase(std::remove_if(first, b, [](const block& one) { return one.records.empty(); }), b);
  if (blocks_.empty()) blocks_.resize(1);
}

access* access_log::group::same_as(const access& a, std::vector<block>::iterator from) {
  const place where = place_of(a.bytes);
  for (auto b = from; b != blocks_.end(); ++b) {
    std::vector<access>& records = b->records;
    for (auto at = records.begin() + (first_in(records, where) - records.cbegin());
         at != records.end(); ++at) {
      if (place_of(at->bytes) != where) return nullptr;
      if (at->queue == a.queue && at->writes == a.writes && at->bytes == a.bytes) {
        b->take_bounds_of(a);
        return &*at;
      }
    }
  }
  return nullptr;
}

void access_log::group::add(const access& a) {
  const place where = place_of(a.bytes);
  longest_ = std::max(longest_, end(a.bytes) - key(a.bytes));
  wraps_ = wraps_ || (period_ != 0 && end(a.bytes) > period_);
  auto b = blocks_.begin() + (first_block(where) - blocks_.cbegin());
  if (access* const same = same_as(a, b)) {
    stand_for_both(*same, a);
    return;
  }
  if (b == blocks_.end()) --b;
  b->add(std::size_t(first_in(b->records, where) - b->records.cbegin()), a);
  if (b->records.size() > block_max) {
    block upper = b->split();
    blocks_.insert(b + 1, std::move(upper));
  }
}

void access_log::add_to_few(const access& a) {
  std::size_t kept = 0;
  for (access& old : few_) {
    if (a.writes && contains(a.bytes, old.bytes)) continue;
    // A queue works in order: a later read of equal bytes by one queue replaces the earlier read.
    if (old.queue == a.queue && !a.writes && !old.writes && old.bytes == a.bytes) {
      stand_for_both(old, a);
      return;  // a read drops no record, so that none has moved
    }
    if (&old != &few_[kept]) few_[kept] = old;
    ++kept;
  }
  few_.erase(few_.begin() + std::ptrdiff_t(kept), few_.end());
  if (kept < few_max) {
    few_.push_back(a);
    return;
  }
  many_ = true;
  for (const access& old : few_) add_to_many(old);
  few_.clear();
  add_to_many(a);
}

void access_log::add_to_many(const access& a) {
  if (a.writes)
    for (group& g : groups_) g.erase_within(a.bytes);
  const auto found = std::ranges::find(groups_, a.bytes.period, &group::period);
  (found != groups_.end() ? *found : groups_.emplace_back(a.bytes.period)).add(a);
}

}  // namespace papilio::engine_detail

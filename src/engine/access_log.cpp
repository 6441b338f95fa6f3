#include "engine/access_log.hpp"

#include <algorithm>

namespace papilio::engine_detail {
namespace {

// Of two accesses of one queue: the later place in its order, and the later end. They are apart
// where a stationary operand is loaded while the multiply before still reads the same bytes.
void stand_for_both(access& old, const access& later) {
  old.position = later.position;
  if (later.end_ns < old.end_ns) return;
  old.end_ns = later.end_ns;
  old.instruction = later.instruction;
}

}  // namespace

std::pair<std::vector<access>::const_iterator, std::vector<access>::const_iterator>
access_log::group::candidates(const region& bytes) const {
  if (bytes.period != period) return {records.begin(), records.end()};
  const auto before = [](const access& a, std::int64_t k) { return key(a.bytes) < k; };
  const auto from =
      std::lower_bound(records.begin(), records.end(), key(bytes) - longest + 1, before);
  return {from, std::lower_bound(from, records.end(), end(bytes), before)};
}

void access_log::add_to_few(const access& a) {
  std::size_t kept = 0;
  for (access& old : few_) {
    if (a.writes && contains(a.bytes, old.bytes)) continue;
    // A queue is in order, so that its latest access of a kind to the same bytes stands for all.
    if (old.queue == a.queue && !a.writes && !old.writes && old.bytes == a.bytes) {
      stand_for_both(old, a);
      return;  // a read drops none: nothing has moved
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
  if (a.writes) {
    for (group& g : groups_) {
      const auto [from, to] = g.candidates(a.bytes);
      const auto begin = g.records.begin() + (from - g.records.cbegin());
      const auto end = g.records.begin() + (to - g.records.cbegin());
      g.records.erase(
          std::remove_if(begin, end,
                         [&](const access& old) { return contains(a.bytes, old.bytes); }),
          end);
    }
  }
  const auto found = std::ranges::find(groups_, a.bytes.period, &group::period);
  group& g = found != groups_.end() ? *found : groups_.emplace_back(group{a.bytes.period, 0, {}});
  const std::int64_t key = group::key(a.bytes);
  g.longest = std::max(g.longest, group::end(a.bytes) - key);
  auto at =
      std::lower_bound(g.records.begin(), g.records.end(), key,
                       [](const access& old, std::int64_t k) { return group::key(old.bytes) < k; });
  for (auto same = at; same != g.records.end() && group::key(same->bytes) == key; ++same)
    if (same->queue == a.queue && same->writes == a.writes && same->bytes == a.bytes) {
      stand_for_both(*same, a);
      return;
    }
  g.records.insert(at, a);
}

}  // namespace papilio::engine_detail

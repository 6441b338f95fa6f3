#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/region.hpp"

namespace papilio::engine_detail {

/// An access that later ones may have to wait for.
struct access {
  region bytes;
  double end_ns;
  std::uint64_t instruction;
  std::uint32_t position;  // in its queue's order, for accesses ordered by hand
  std::uint8_t queue;      // the in-order queue that it was issued to
  bool writes;
};

/// What an access must wait for, and the latest of it.
struct dependency {
  double ready_ns = 0;
  std::uint64_t instruction = no_instruction;
  int queue = -1;  // that the instruction was issued to
  static constexpr std::uint64_t no_instruction = ~std::uint64_t{0};

  void take(double end_ns, std::uint64_t from, int from_queue) {
    if (end_ns <= ready_ns) return;
    ready_ns = end_ns;
    instruction = from;
    queue = from_queue;
  }
  void take(const dependency& other) { take(other.ready_ns, other.instruction, other.queue); }
};

/// The accesses to one piece of memory, so far as they can still matter: those that a later write
/// covers are dropped, since whoever waits for that write has waited for them.
/// A few are looked through; where there are many, those with the same period are kept in order of
/// where they begin, so that a look-up among disjoint ones is a binary search.
class access_log {
 public:
  void clear() {
    few_.clear();
    for (group& g : groups_) g.records.clear();
    many_ = false;
    latest_ns_ = latest_write_ns_ = 0;
  }

  /// Calls conflict(access) for each earlier access that overlaps and of which one of the two is a
  /// write.
  template <class Conflict>
  void for_each_conflict(const region& bytes, bool writes, const Conflict& conflict) const {
    const auto look = [&](const access& a) {
      if ((writes || a.writes) && overlap(a.bytes, bytes)) conflict(a);
    };
    if (!many_) {
      for (const access& a : few_) look(a);
      return;
    }
    for (const group& g : groups_) {
      auto [from, to] = g.candidates(bytes);
      for (; from != to; ++from) look(*from);
    }
  }
  void add(const access& a) {
    latest_ns_ = std::max(latest_ns_, a.end_ns);
    if (a.writes) latest_write_ns_ = std::max(latest_write_ns_, a.end_ns);
    many_ ? add_to_many(a) : add_to_few(a);
  }
  /// The end of the latest access, or of the latest write.
  double latest_ns() const { return latest_ns_; }
  double latest_write_ns() const { return latest_write_ns_; }

 private:
  static constexpr std::size_t few_max = 24;
  struct group {
    std::int64_t period = 0;
    std::int64_t longest = 0;  // of any record, in the measure of key()
    std::vector<access> records;

    static std::int64_t key(const region& r) { return r.period != 0 ? r.phase_lo : r.lo; }
    static std::int64_t end(const region& r) { return r.period != 0 ? r.phase_hi : r.hi; }
    std::pair<std::vector<access>::const_iterator, std::vector<access>::const_iterator> candidates(
        const region& bytes) const;
  };
  void add_to_few(const access& a);
  void add_to_many(const access& a);

  std::vector<access> few_;
  std::vector<group> groups_;
  bool many_ = false;
  double latest_ns_ = 0, latest_write_ns_ = 0;
};

}  // namespace papilio::engine_detail

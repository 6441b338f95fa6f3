#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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

/// The time from which an access may start, and the instruction whose end sets that time.
struct dependency {
  double ready_ns = 0;
  std::uint64_t instruction = no_instruction;
  int queue = -1;  // the queue that the instruction was issued to; -1: there is none
  static constexpr std::uint64_t no_instruction = ~std::uint64_t{0};

  void take(double end_ns, std::uint64_t from, int from_queue) {
    if (end_ns <= ready_ns) return;
    ready_ns = end_ns;
    instruction = from;
    queue = from_queue;
  }
  void take(const dependency& other) { take(other.ready_ns, other.instruction, other.queue); }
};

/// The accesses to one piece of memory that later ones may have to wait for. An access that a later
/// write covers is dropped, since whoever waits for that write has waited for the access too.
/// Up to `few_max` accesses are searched one by one. Beyond that, accesses with the same period are
/// kept in the order in which they begin, so that a look-up among disjoint ones is a binary search,
/// and in blocks that a look-up skips by their range of bytes or by their latest end.
class access_log {
 public:
  void clear() {
    few_.clear();
    for (group& g : groups_) g.clear();
    many_ = false;
    latest_ns_ = latest_write_ns_ = 0;
  }

  /// Calls conflict(access) for each earlier access that conflicts with a new one: the two overlap,
  /// one of them writes, and the earlier one ends after `after_ns`.
  template <class Conflict>
  void for_each_conflict(const region& bytes, bool writes, double after_ns,
                         const Conflict& conflict) const {
    const auto look = [&](const access& a) {
      if (a.end_ns > after_ns && (writes || a.writes) && overlap(a.bytes, bytes)) conflict(a);
    };
    if (!many_) {
      for (const access& a : few_) look(a);
      return;
    }
    for (const group& g : groups_) g.for_each_candidate(bytes, after_ns, look);
  }
  void add(const access& a) {
    latest_ns_ = std::max(latest_ns_, a.end_ns);
    if (a.writes) latest_write_ns_ = std::max(latest_write_ns_, a.end_ns);
    many_ ? add_to_many(a) : add_to_few(a);
  }
  /// Returns the end of the latest access; latest_write_ns() returns that of the latest write.
  double latest_ns() const { return latest_ns_; }
  double latest_write_ns() const { return latest_write_ns_; }

 private:
  static constexpr std::size_t few_max = 24;
  // A block holds up to `block_max` records, so that an insertion among many thousands moves few.
  // [lo, hi) and latest_ns bound the bytes and the ends of all of them.
  struct block {
    std::vector<access> records;
    std::int64_t lo = 0, hi = 0;
    double latest_ns = 0;

    void add(std::size_t at, const access& a);
    void take_bounds_of(const access& a);
    /// Moves the second half of the records to a block of its own, which it returns.
    block split();
    bool meets(const region& bytes) const { return lo < bytes.hi && bytes.lo < hi; }
  };
  // A group holds the accesses of one period, sorted by the phase at which they begin (key(); the
  // first byte where there is no period), and by the first byte among equal phases.
  class group {
   public:
    explicit group(std::int64_t period) : period_(period), blocks_(1) {}

    std::int64_t period() const { return period_; }
    void clear();
    /// Calls visit(access) for every access that overlaps and ends after `after_ns`; it may call
    /// it for others too.
    template <class Visit>
    void for_each_candidate(const region& bytes, double after_ns, const Visit& visit) const {
      const auto [low, high] = keys_of(bytes);
      for (auto b = first_block({low, nowhere}); b != blocks_.end(); ++b) {
        if (b->latest_ns <= after_ns || !b->meets(bytes)) continue;
        for (auto at = first_in(b->records, {low, nowhere}); at != b->records.end(); ++at) {
          if (key(at->bytes) >= high) return;
          visit(*at);
        }
      }
    }
    /// Drops the accesses that lie within `bytes`.
    void erase_within(const region& bytes);
    void add(const access& a);

   private:
    using place = std::pair<std::int64_t, std::int64_t>;
    static constexpr std::size_t block_max = 64;
    static constexpr std::int64_t everywhere = std::numeric_limits<std::int64_t>::max(),
                                  nowhere = std::numeric_limits<std::int64_t>::min();

    static std::int64_t key(const region& r) { return r.period != 0 ? r.phase_lo : r.lo; }
    static std::int64_t end(const region& r) { return r.period != 0 ? r.phase_hi : r.hi; }
    static place place_of(const region& r) { return {key(r), r.lo}; }
    /// Returns the keys [low, high) of the records that may overlap.
    std::pair<std::int64_t, std::int64_t> keys_of(const region& bytes) const {
      const std::int64_t low = key(bytes) - longest_ + 1, high = end(bytes);
      const bool others_begin = period_ != 0 && (high > period_ || (wraps_ && low < 0));
      if (bytes.period != period_ || others_begin) return {-everywhere, everywhere};
      return {low, high};
    }
    /// Returns the first block with a record that is not before `low`; first_in() returns the first
    /// such record of a block.
    std::vector<block>::const_iterator first_block(place low) const {
      return std::partition_point(blocks_.begin(), blocks_.end(), [low](const block& b) {
        return b.records.empty() || place_of(b.records.back().bytes) < low;
      });
    }
    static std::vector<access>::const_iterator first_in(const std::vector<access>& records,
                                                        place low) {
      return std::partition_point(records.begin(), records.end(),
                                  [low](const access& a) { return place_of(a.bytes) < low; });
    }
    access* same_as(const access& a, std::vector<block>::iterator from);

    std::int64_t period_ = 0;
    std::int64_t longest_ = 0;   // the largest end() - key() of a record so far
    bool wraps_ = false;         // whether a record so far ends behind its period
    std::vector<block> blocks_;  // sorted as their records; only a single one may be empty
  };
  void add_to_few(const access& a);
  void add_to_many(const access& a);

  std::vector<access> few_;
  std::vector<group> groups_;
  bool many_ = false;
  double latest_ns_ = 0, latest_write_ns_ = 0;
};

}  // namespace papilio::engine_detail

#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace papilio::base_detail {

/// Cache of shared values by key, which drops those used least recently where entries or bytes
/// exceed the bounds. Any number of threads may use it. Hash and Equal take a Query in the place of
/// a Key, and a Key is made from a Query.
template <class Key, class Query, class Value, class Hash, class Equal>
class lru_cache {
 public:
  struct bounds {
    std::size_t entries;
    std::size_t bytes;
  };
  struct counts {
    std::size_t hits = 0, misses = 0, evictions = 0, entries = 0, bytes = 0;
  };
  using shared_value = std::shared_ptr<const Value>;

  explicit lru_cache(bounds limit) : bounds_(limit) {}

  /// Returns the value of the key; null, and a miss is counted, where there is none.
  shared_value find(const Query& query) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(query);
    if (found == index_.end()) {
      ++counts_.misses;
      return nullptr;
    }
    ++counts_.hits;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  /// Keeps the value and returns it, or the value that another thread kept first. A value that
  /// exceeds the bounds alone is returned without being kept.
  shared_value keep(const Query& query, shared_value value, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(query); found != index_.end()) return found->second->value;
    if (bounds_.entries == 0 || bytes > bounds_.bytes) return value;
    make_room(bounds_.entries - 1, bounds_.bytes - bytes);
    entries_.push_front({Key(query), value, bytes});
    index_.emplace(entries_.front().key, entries_.begin());
    counts_.bytes += bytes;
    return value;
  }

  /// Removes the value of the key, if there is one.
  void drop(const Query& query) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(query);
    if (found == index_.end()) return;
    counts_.bytes -= found->second->bytes;
    const auto place = found->second;
    index_.erase(found);
    entries_.erase(place);
    ++generation_;
  }

  /// Returns whether the key has a value; to ask is no use of it.
  bool holds(const Query& query) const {
    const std::lock_guard lock(mutex_);
    return index_.contains(query);
  }

  /// Returns a number that changes whenever a value is removed.
  std::size_t generation() const { return generation_.load(std::memory_order_relaxed); }

  counts statistics() {
    const std::lock_guard lock(mutex_);
    counts now = counts_;
    now.entries = entries_.size();
    return now;
  }
  bounds limit() {
    const std::lock_guard lock(mutex_);
    return bounds_;
  }
  void set_limit(bounds limit) {
    const std::lock_guard lock(mutex_);
    bounds_ = limit;
    make_room(limit.bytes == 0 ? 0 : limit.entries, limit.bytes);
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    index_.clear();
    entries_.clear();
    counts_.bytes = 0;
    ++generation_;
  }

 private:
  struct entry {
    Key key;
    shared_value value;
    std::size_t bytes;
  };

  void make_room(std::size_t entries, std::size_t bytes) {
    while (entries_.size() > entries || counts_.bytes > bytes) {
      counts_.bytes -= entries_.back().bytes;
      index_.erase(index_.find(entries_.back().key));
      entries_.pop_back();
      ++counts_.evictions;
      ++generation_;
    }
  }

  mutable std::mutex mutex_;
  std::list<entry> entries_;  // in the order of their last use, the latest first
  std::unordered_map<Key, typename std::list<entry>::iterator, Hash, Equal> index_;
  bounds bounds_;
  counts counts_;
  std::atomic<std::size_t> generation_{0};
};

}  // namespace papilio::base_detail

#include "papilio/transform/plan_cache.hpp"

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "transform/built_plan.hpp"

namespace papilio {

using transform_detail::built_plan;
using transform_detail::plan_text;

namespace {

struct plan_key {
  fft_problem problem;
  const fft_candidate* candidate;
};
// The same without a copy of the problem.
struct plan_query {
  const fft_problem& problem;
  const fft_candidate* candidate;
};

struct key_equal {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return a.candidate == b.candidate && a.problem == b.problem;
  }
};

struct key_hash {
  using is_transparent = void;
  template <class Key>
  std::size_t operator()(const Key& key) const {
    std::size_t h = std::hash<const void*>{}(key.candidate);
    const auto mix = [&h](std::size_t v) {
      h ^= v + std::size_t{0x9e3779b97f4a7c15} + (h << 6) + (h >> 2);
    };
    const fft_problem& p = key.problem;
    for (std::size_t e : p.extents) mix(e);
    for (std::size_t a : p.axes) mix(a);
    mix(static_cast<std::size_t>(p.kind));
    mix(static_cast<std::size_t>(p.type));
    mix(static_cast<std::size_t>(p.scaling));
    mix(static_cast<std::size_t>(p.trigonometric_type));
    mix(p.measured);
    return h;
  }
};

// Plans in the order of their last use, the latest first, with an index by key.
class plan_cache {
 public:
  using shared_plan = std::shared_ptr<const built_plan>;

  shared_plan find(const plan_query& key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) {
      ++counts_.misses;
      return nullptr;
    }
    ++counts_.hits;
    plans_.splice(plans_.begin(), plans_, found->second);
    return found->second->plan;
  }

  // The plan that is kept for the key: this one, or one that another thread brought first.
  shared_plan keep(const plan_query& key, shared_plan plan, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(key); found != index_.end()) return found->second->plan;
    if (bound_.plans == 0 || bytes > bound_.bytes) return plan;
    make_room(bound_.plans - 1, bound_.bytes - bytes);
    plans_.push_front({{key.problem, key.candidate}, plan, bytes});
    index_.emplace(plans_.front().key, plans_.begin());
    bytes_ += bytes;
    return plan;
  }

  std::size_t generation() const { return generation_.load(std::memory_order_relaxed); }
  void count_hit() { outside_hits_.fetch_add(1, std::memory_order_relaxed); }

  plan_cache_counts counts() {
    const std::lock_guard lock(mutex_);
    plan_cache_counts now = counts_;
    now.hits += outside_hits_.load(std::memory_order_relaxed);
    now.plans = plans_.size();
    now.bytes = bytes_;
    return now;
  }

  plan_cache_bound bound() {
    const std::lock_guard lock(mutex_);
    return bound_;
  }
  void set_bound(plan_cache_bound bound) {
    const std::lock_guard lock(mutex_);
    bound_ = bound;
    // Nothing is kept where either bound is 0, not even plans without tables.
    make_room(bound.bytes == 0 ? 0 : bound.plans, bound.bytes);
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    index_.clear();
    plans_.clear();
    bytes_ = 0;
    ++generation_;
  }

 private:
  struct entry {
    plan_key key;
    shared_plan plan;
    std::size_t bytes;
  };

  void make_room(std::size_t plans, std::size_t bytes) {
    while (plans_.size() > plans || bytes_ > bytes) {
      bytes_ -= plans_.back().bytes;
      index_.erase(index_.find(plans_.back().key));
      plans_.pop_back();
      ++counts_.evictions;
      ++generation_;
    }
  }

  std::mutex mutex_;
  std::list<entry> plans_;
  std::unordered_map<plan_key, std::list<entry>::iterator, key_hash, key_equal> index_;
  std::size_t bytes_ = 0;
  plan_cache_bound bound_;
  plan_cache_counts counts_;
  std::atomic<std::size_t> outside_hits_{0}, generation_{0};
};

plan_cache& the_cache() {
  static plan_cache cache;
  return cache;
}

}  // namespace

std::shared_ptr<const built_plan> transform_detail::cached_plan(const fft_problem& problem,
                                                                const fft_candidate& candidate) {
  plan_cache& cache = the_cache();
  const plan_query key{problem, &candidate};
  if (auto found = cache.find(key)) return found;
  auto executor = candidate.build(problem);
  auto text = std::make_shared<const plan_text>(plan_text{to_string(problem), executor->recipe()});
  auto built = std::make_shared<const built_plan>(
      built_plan{problem, &candidate, std::move(executor), std::move(text)});
  // What a plan weighs beside its tables: the objects themselves, roughly.
  constexpr std::size_t objects_bytes = 1024;
  return cache.keep(key, built, built->executor->table_bytes() + objects_bytes);
}

void transform_detail::count_plan_hit() { the_cache().count_hit(); }
std::size_t transform_detail::plan_cache_generation() { return the_cache().generation(); }

plan_cache_counts plan_cache_statistics() { return the_cache().counts(); }
plan_cache_bound plan_cache_limit() { return the_cache().bound(); }
void set_plan_cache_limit(plan_cache_bound bound) { the_cache().set_bound(bound); }
void clear_plan_cache() { the_cache().clear(); }

}  // namespace papilio

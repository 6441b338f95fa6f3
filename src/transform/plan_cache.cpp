#include "papilio/transform/candidate.hpp"

#include <atomic>
#include <functional>
#include <utility>

#include "base/lru_cache.hpp"
#include "transform/built_plan.hpp"

namespace papilio {

using transform_detail::built_plan;
using transform_detail::plan_text;

namespace {

struct plan_query {
  const fft_problem& problem;
  const fft_candidate* candidate;
};
// Key of a plan, with a copy of the problem that a query refers to.
struct plan_key {
  fft_problem problem;
  const fft_candidate* candidate;
  explicit plan_key(const plan_query& q) : problem(q.problem), candidate(q.candidate) {}
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
    mix(static_cast<std::size_t>(p.norm));
    mix(static_cast<std::size_t>(p.dir));
    mix(static_cast<std::size_t>(p.trigonometric_type));
    mix(p.measured);
    mix(p.adjoint);
    return h;
  }
};

using plan_cache = base_detail::lru_cache<plan_key, plan_query, built_plan, key_hash, key_equal>;

plan_cache& the_cache() {
  static plan_cache cache({plan_cache_bound{}.plans, plan_cache_bound{}.bytes});
  return cache;
}

// Counts hits of callers that hold the plan already and ask no cache.
std::atomic<std::size_t>& outside_hits() {
  static std::atomic<std::size_t> hits{0};
  return hits;
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
  // Objects of a plan, whose size is a rough guess, count beside its tables.
  constexpr std::size_t objects_bytes = 1024;
  return cache.keep(key, built, built->executor->table_bytes() + objects_bytes);
}

void transform_detail::count_plan_hit() { outside_hits().fetch_add(1, std::memory_order_relaxed); }
std::size_t transform_detail::plan_cache_generation() { return the_cache().generation(); }

plan_cache_counts plan_cache_statistics() {
  const plan_cache::counts now = the_cache().statistics();
  return {.hits = now.hits + outside_hits().load(std::memory_order_relaxed),
          .misses = now.misses,
          .evictions = now.evictions,
          .plans = now.entries,
          .bytes = now.bytes};
}
plan_cache_bound plan_cache_limit() {
  const plan_cache::bounds now = the_cache().limit();
  return {.plans = now.entries, .bytes = now.bytes};
}
void set_plan_cache_limit(plan_cache_bound bound) {
  the_cache().set_limit({bound.plans, bound.bytes});
}
void clear_plan_cache() { the_cache().clear(); }

}  // namespace papilio

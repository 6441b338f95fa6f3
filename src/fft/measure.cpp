#include "fft/measure.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "fft/design.hpp"
#include "fft/executable.hpp"
#include "fft/wisdom_store.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {
namespace {

// Seconds of the fastest of some runs: noise only ever adds.
template <class T>
double fastest_seconds(const recipe& r, direction dir) {
  const auto transform = build<T>(r, dir, 1);
  array<T, 1> line(2 * r.n), out(2 * r.n), scratch(transform->scratch_reals());
  const std::size_t repeats = std::max<std::size_t>(1, 100000 / r.n);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 2; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < repeats; ++i)
      transform->execute(line.data(), out.data(), scratch.data());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

template <class T>
recipe measured(std::size_t n, direction dir) {
  std::vector<recipe> all = candidates(n, has_lanes<T>());
  if (all.size() == 1) return std::move(all.front());
  std::vector<double> seconds(all.size(), std::numeric_limits<double>::infinity());
  // Candidates run in turns, since the processor's clock changes.
  for (int turn = 0; turn < 3; ++turn)
    for (std::size_t i = 0; i < all.size(); ++i)
      seconds[i] = std::min(seconds[i], fastest_seconds<T>(all[i], dir));
  const auto best = std::min_element(seconds.begin(), seconds.end()) - seconds.begin();
  return std::move(all[static_cast<std::size_t>(best)]);
}

}  // namespace

template <class T>
recipe choose(std::size_t n, direction dir, effort plan_effort) {
  if (plan_effort == effort::estimate) return design(n, has_lanes<T>());
  const wisdom_key key{real_type_of<T>, n};
  if (auto known = recall(key); known && (has_lanes<T>() || !needs_lanes(*known)))
    return std::move(*known);
  return remember(key, measured<T>(n, dir));
}

template <class T>
recipe choose_part(std::size_t n, effort plan_effort) {
  if (plan_effort == effort::estimate) return split_design(n, has_lanes<T>());
  recipe best = choose<T>(n, direction::forward, plan_effort);
  return best.kind == recipe_kind::two_step ? split_design(n, has_lanes<T>()) : best;
}

template recipe choose_part<float>(std::size_t, effort);
template recipe choose_part<double>(std::size_t, effort);
template recipe choose_part<long double>(std::size_t, effort);

template recipe choose<float>(std::size_t, direction, effort);
template recipe choose<double>(std::size_t, direction, effort);
template recipe choose<long double>(std::size_t, direction, effort);

}  // namespace papilio::fft_detail

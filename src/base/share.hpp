#pragma once

#include <algorithm>
#include <cstddef>

#include "base/internal.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::base_detail {

/// Body of a loop, which is given its index and the number of the thread that runs it.
using worker_body = function_ref<void(std::size_t index, std::size_t worker)>;

/// The threads of a loop: `workers` of them share it. The caller has offered `offered`: threads that
/// wait from a larger loop are left waiting up to that number, since it takes long to end them and
/// make them anew.
struct team {
  std::size_t workers;
  int offered;

  team at_most(std::size_t units) const {
    return {std::clamp<std::size_t>(units, 1, workers), offered};
  }
};
/// Returns a team of thread_count(threads) workers.
inline team team_of(int threads) {
  const int offered = thread_count(threads);
  return {static_cast<std::size_t>(offered), offered};
}

/// Runs parallel_for with bodies that know their worker: numbers are below `count` and
/// `team.workers`, and calls at one time have different ones. In loops of the same count a worker
/// gets the same indices, whose data it finds in its caches, except those that another idle thread
/// took first.
PAPILIO_INTERNAL void parallel_for_workers(std::size_t count, team team, worker_body body);

/// Whether interruption is checked for on this thread (papilio/base/parallel_for.hpp), and the
/// check, which throws.
PAPILIO_INTERNAL bool is_interruptible() noexcept;
PAPILIO_INTERNAL void ask_interruption();

/// Calls body(first, last, worker) for consecutive ranges of [0, units), as parallel_for_workers, so
/// that each worker may have work memory of its own. A thread has several ranges, and takes one
/// after the other: where another process holds it up, the others do its work. A thread alone has one, or
/// several where it is asked between them whether to go on.
template <class Body>
void share(std::size_t units, team team, const Body& body) {
  constexpr std::size_t ranges_of_a_worker = 6, most_questions = 32, units_of_a_question = 8;
  if (units == 0) return;
  std::size_t ranges = std::min(units, team.workers * ranges_of_a_worker);
  if (team.workers <= 1)
    ranges = is_interruptible() ? std::min(units / units_of_a_question, most_questions) : 0;
  if (ranges <= 1) return body(std::size_t{0}, units, std::size_t{0});
  parallel_for_workers(ranges, team, [&](std::size_t i, std::size_t worker) {
    const std::size_t each = units / ranges, left = units % ranges;
    body(each * i + std::min(i, left), each * (i + 1) + std::min(i + 1, left), worker);
  });
}

}  // namespace papilio::base_detail

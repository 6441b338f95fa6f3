#include "papilio/base/parallel_for.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "papilio/base/error.hpp"

#ifdef __SANITIZE_THREAD__
#include <thread>
#include <vector>
#endif

namespace papilio {

int thread_count(int threads) {
  if (threads < 0)
    throw invalid_argument(base_detail::message("threads: must be at least 0, got ", threads));
  // A thread that cannot be had ends the process inside the runtime: ask for no absurd number.
  // Asked once: the answer costs a system call.
  static const int cores = omp_get_num_procs();
  return threads == 0 ? cores : std::min(threads, 8 * cores);
}

namespace base_detail {
namespace {

// Calls work() on each of `team` threads, this one among them, and waits for all.
template <class Work>
void on_team(int team, const Work& work) {
#ifdef __SANITIZE_THREAD__
  // The sanitizer does not see libgomp's barriers and would report every hand-over as a race.
  std::vector<std::jthread> helpers;
  for (int i = 1; i < team; ++i) helpers.emplace_back(work);
  work();
#else
#pragma omp parallel num_threads(team)
  work();
#endif
}

}  // namespace

void parallel_for(std::size_t count, int threads, loop_body body, void* context) {
  const auto team =
      static_cast<int>(std::min(count, static_cast<std::size_t>(thread_count(threads))));
  if (team <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(context, i);
    return;
  }
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
  std::atomic<std::size_t> next{0};
  on_team(team, [&] {
    while (!failed.load(std::memory_order_relaxed)) {
      const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      try {
        body(context, index);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace base_detail
}  // namespace papilio

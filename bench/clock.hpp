#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace papilio::bench {

/// CPU seconds of this thread: what a neighbour takes while we are descheduled does not count.
inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline double wall_seconds() {
  const std::chrono::duration<double> t = std::chrono::steady_clock::now().time_since_epoch();
  return t.count();
}

/// One thread's own time, which neighbours do not lengthen; that of several is the wall's.
inline auto clock_of(int threads) { return threads == 1 ? thread_seconds : wall_seconds; }

inline double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// Seconds of `calls` calls.
template <class Run>
double time_block(const Run& run, std::size_t calls, double (*now)()) {
  const double start = now();
  for (std::size_t i = 0; i < calls; ++i) run();
  return now() - start;
}

/// Calls that together take at least `block_seconds`; `seconds` is of so many calls.
template <class Seconds>
std::size_t calls_for(const Seconds& seconds, double block_seconds) {
  if (seconds(1) > 100 * block_seconds) return 1;  // whatever the first call had to fetch
  std::size_t calls = 1;
  while (seconds(calls) < block_seconds) calls *= 2;
  return calls;
}

}  // namespace papilio::bench

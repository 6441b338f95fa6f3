#pragma once

#include <algorithm>
#include <cstddef>

#include "base/internal.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::base_detail {

/// What each call is given: its index, and the number of the thread that makes it.
using worker_body = function_ref<void(std::size_t index, std::size_t worker)>;

/// parallel_for whose bodies know their thread: numbers are below `count` and the number of threads,
/// and calls at one time have different ones.
PAPILIO_INTERNAL void parallel_for_workers(std::size_t count, int threads, worker_body body);

/// Threads that have one of `units` each: thread_count(threads) at most.
inline std::size_t workers_for(std::size_t units, int threads) {
  return std::min(units, static_cast<std::size_t>(thread_count(threads)));
}

/// Calls body(first, last, worker) for consecutive ranges of [0, units) on `workers` threads, whose
/// numbers are below `workers`; calls at one time have different ones, so that each number may have
/// work memory of its own. A thread has several ranges, and takes one after the other: where
/// another process holds it up, the others do its work.
template <class Body>
void share(std::size_t units, std::size_t workers, const Body& body) {
  constexpr std::size_t ranges_of_a_worker = 6;
  if (units == 0) return;
  if (workers <= 1) return body(std::size_t{0}, units, std::size_t{0});
  const std::size_t ranges = std::min(units, workers * ranges_of_a_worker);
  parallel_for_workers(ranges, static_cast<int>(workers), [&](std::size_t i, std::size_t worker) {
    const std::size_t each = units / ranges, left = units % ranges;
    body(each * i + std::min(i, left), each * (i + 1) + std::min(i + 1, left), worker);
  });
}

}  // namespace papilio::base_detail

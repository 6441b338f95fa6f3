#include "papilio/base/parallel_for.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "papilio/base/error.hpp"

namespace papilio {

int thread_count(int threads) {
  if (threads < 0)
    throw invalid_argument(base_detail::message("threads: must be at least 0, got ", threads));
  return threads == 0 ? omp_get_num_procs() : threads;
}

namespace base_detail {

void parallel_for(std::size_t count, int threads, loop_body body, void* context) {
  const std::size_t team = std::min(count, static_cast<std::size_t>(thread_count(threads)));
  if (team <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(context, i);
    return;
  }
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic) num_threads(static_cast <int>(team))
  for (std::size_t i = 0; i < count; ++i) {
    if (failed.load(std::memory_order_relaxed)) continue;
    try {
      body(context, i);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace base_detail
}  // namespace papilio

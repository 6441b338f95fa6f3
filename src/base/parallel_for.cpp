#include "papilio/base/parallel_for.hpp"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/share.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

int thread_count(int threads) {
  if (threads < 0)
    throw invalid_argument(base_detail::message("threads: must be at least 0, got ", threads));
  // A call on one thread asks the system nothing, as an audio callback has to.
  if (threads == 1) return 1;
  // Asked once: the answer costs a system call.
  static const int cores = omp_get_num_procs();
  return threads == 0 ? cores : std::min(threads, 8 * cores);
}

namespace {

thread_local interruption asked = nullptr;

}  // namespace

interruption exchange_interruption(interruption next) noexcept {
  return std::exchange(asked, next);
}

namespace base_detail {

bool is_interruptible() noexcept { return asked != nullptr; }
void ask_interruption() {
  if (asked != nullptr) asked();
}

namespace {

// Whether this is the child of a fork whose parent had a team: the team's threads are not there,
// and the runtime would wait for them for ever.
std::atomic<bool> is_orphan{false};

bool is_told_of_forks() {
  static const bool told = ::pthread_atfork(nullptr, nullptr, [] { is_orphan = true; }) == 0;
  return told;
}

#ifdef __SANITIZE_THREAD__

// Calls work(i) for numbers i below `team` on a thread each, work(0) on this one, and waits for all.
// The sanitizer does not see libgomp's barriers and would report every hand-over as a race.
template <class Work>
void on_team(int team, int /*offered*/, const Work& work) {
  std::vector<std::jthread> helpers;
  if (is_told_of_forks()) {
    try {
      for (int i = 1; i < team; ++i) helpers.emplace_back(work, i);
    } catch (const std::exception&) {
      // Fewer threads do the same work.
    }
  }
  work(0);
}

#else

// Threads of the runtime's that wait for this thread's next region, and this thread.
thread_local int kept_team = 1;

// Held from the trial of new threads until the runtime has them.
std::mutex growth_mutex;

// Returns how many of `wanted` more threads the system gives. They have ended when this returns,
// and what a limit counts as a thread is free again.
int obtainable(int wanted) {
  const auto count = static_cast<std::size_t>(wanted);
  std::vector<pid_t> ids(count);
  std::vector<std::thread> threads;
  threads.reserve(count);
  std::atomic<bool> all_begun{false};
  try {
    while (threads.size() < count)
      threads.emplace_back([&, i = threads.size()] {
        ids[i] = static_cast<pid_t>(::syscall(SYS_gettid));
        all_begun.wait(false);
      });
  } catch (const std::exception&) {
    // The system gives no more threads.
  }
  all_begun = true;
  all_begun.notify_all();
  for (std::thread& thread : threads) thread.join();
  // A thread that was joined is counted until the system has put it away.
  constexpr int patience = 1000;
  for (std::size_t i = 0; i < threads.size(); ++i)
    for (int turn = 0; turn < patience && ::syscall(SYS_tgkill, ::getpid(), ids[i], 0) == 0; ++turn)
      ::sched_yield();
  return static_cast<int>(threads.size());
}

// Calls work(i) for numbers i below `team` on a thread each, work(0) on this one, and waits for all.
// A thread that the runtime cannot have ends the process there, so new ones are tried first. Threads
// that it keeps take part idle, up to `offered`: it would end them, and make them anew for the next.
template <class Work>
void on_team(int team, int offered, const Work& work) {
  const bool nested = omp_get_level() > 0;
  if (nested && omp_get_active_level() >= omp_get_max_active_levels()) return work(0);
  const int kept = nested ? 1 : kept_team;
  std::unique_lock growth(growth_mutex, std::defer_lock);
  if (team > kept) {
    growth.lock();
    team = is_told_of_forks() ? kept + obtainable(team - kept) : kept;
    if (team == 1) return work(0);
  }
#pragma omp parallel num_threads(std::max(team, std::min(kept, offered)))
  {
    const int number = omp_get_thread_num();
    if (number == 0) {
      if (!nested) kept_team = omp_get_num_threads();
      if (growth.owns_lock()) growth.unlock();
    }
    if (number < team) work(number);
  }
}

#endif

// Indices of [0, count), a queue of consecutive ones for each thread: what a thread took in one loop
// it takes in the next, while its caches still hold it. A thread whose queue is empty helps others.
class index_queues {
 public:
  index_queues(std::size_t count, std::size_t team)
      : team_(team), queues_(std::min(team, most_queues)) {
    for (std::size_t q = 0; q < queues_; ++q) {
      queue_[q].next = count / queues_ * q + std::min(q, count % queues_);
      queue_[q].end = queue_[q].next + count / queues_ + (q < count % queues_ ? 1 : 0);
    }
  }

  // body(index) for what is left, from the worker's own queue first, while it returns true.
  template <class Body>
  void drain(std::size_t worker, const Body& body) {
    const std::size_t own = worker * queues_ / team_;
    for (std::size_t i = 0; i < queues_; ++i) {
      queue& from = queue_[(own + i) % queues_];
      while (from.next.load(std::memory_order_relaxed) < from.end) {
        const std::size_t index = from.next.fetch_add(1, std::memory_order_relaxed);
        if (index < from.end && !body(index)) return;
      }
    }
  }

 private:
  static constexpr std::size_t most_queues = 64, cache_line = 64;
  struct alignas(cache_line) queue {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  std::size_t team_, queues_;
  std::array<queue, most_queues> queue_;
};

}  // namespace

void parallel_for_workers(std::size_t count, team team, worker_body body) {
  const std::size_t workers = team.at_most(count).workers;
  if (workers <= 1 || is_orphan.load(std::memory_order_relaxed)) {
    for (std::size_t i = 0; i < count; ++i) {
      ask_interruption();
      body(i, 0);
    }
    return;
  }
  ask_interruption();  // the others may have done all before this thread takes a part
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
  index_queues queues(count, workers);
  on_team(static_cast<int>(workers), team.offered, [&](int number) {
    const auto worker = static_cast<std::size_t>(number);
    queues.drain(worker, [&](std::size_t index) {
      if (failed.load(std::memory_order_relaxed)) return false;
      try {
        if (worker == 0) ask_interruption();
        body(index, worker);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
      return true;
    });
  });
  if (failure) std::rethrow_exception(failure);
}

void parallel_for(std::size_t count, int threads, loop_body body, void* context) {
  parallel_for_workers(count, team_of(threads),
                       [&](std::size_t index, std::size_t) { body(context, index); });
}

}  // namespace base_detail
}  // namespace papilio

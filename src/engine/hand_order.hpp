#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/access_log.hpp"
#include "papilio/engine/isa/synchronization.hpp"

namespace papilio::engine_detail {

/// The happens-before order of a kernel that orders its engines by semaphores. Each in-order queue
/// (the compute engines, then the DMA queues) has a vector clock: entry q of a queue's clock is the
/// position in queue q up to which everything is known to be complete.
class hand_order {
 public:
  static constexpr int queue_count = 8 + 32;
  using clock = std::array<std::uint32_t, queue_count>;

  bool by_hand = false;

  int make_semaphore();
  int semaphores() const { return int(semaphores_.size()); }
  /// Returns how many signals of a semaphore have been issued so far.
  int signals(int semaphore) const { return int(semaphores_[std::size_t(semaphore)].size()); }

  /// Counts one more instruction of a queue and returns its position there, from 1 on.
  std::uint32_t advance(int queue) { return ++clocks_[std::size_t(queue)][std::size_t(queue)]; }
  /// Is a barrier: everything issued so far is complete for whatever any queue does next.
  void join();
  void signal(int semaphore, int queue, double at_ns);
  struct reached {
    double at_ns = 0;
    int queue = -1;  // the queue that signalled
  };
  /// Returns when the semaphore reaches `value` on the timeline, and which queue signals then. The
  /// waiting queue's clock advances only by signals that must have come, in whatever order the
  /// signals issued so far arrive: all other queues together give m of them, so that a queue must
  /// have given its first `value` - m.
  reached wait(int semaphore, int value, int queue);
  /// Returns whether an access is complete before whatever the queue does now.
  bool is_past(const access& earlier, int queue) const {
    return clocks_[std::size_t(queue)][earlier.queue] >= earlier.position;
  }

 private:
  struct signalled {
    double at_ns;
    int queue;
    clock seen;
  };
  std::array<clock, queue_count> clocks_{};
  std::vector<std::vector<signalled>> semaphores_;
};

}  // namespace papilio::engine_detail

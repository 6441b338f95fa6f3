#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/access_log.hpp"
#include "papilio/engine/isa/synchronization.hpp"

namespace papilio::engine_detail {

/// What is known to have happened before what, where a kernel orders its engines by semaphores: a
/// vector clock for each in-order queue (the compute engines, then the DMA queues).
class hand_order {
 public:
  static constexpr int queue_count = 8 + 32;
  using clock = std::array<std::uint32_t, queue_count>;

  bool by_hand = false;

  int make_semaphore();
  int semaphores() const { return int(semaphores_.size()); }
  /// Signals issued so far.
  int signals(int semaphore) const { return int(semaphores_[std::size_t(semaphore)].size()); }

  /// The next instruction of a queue; its position there.
  std::uint32_t advance(int queue) { return ++clocks_[std::size_t(queue)][std::size_t(queue)]; }
  /// A barrier: everything so far is past for every queue.
  void join();
  void signal(int semaphore, int queue, double at_ns);
  struct reached {
    double at_ns = 0;
    int queue = -1;  // whose signal it was
  };
  /// When the semaphore reaches `value`, as the timeline has it. Past for what follows is only what
  /// must be, whichever of the signals issued so far came first: of a queue, the signals without
  /// which those of all others do not make up `value`.
  reached wait(int semaphore, int value, int queue);
  /// Whether an access is past for whatever the queue does now.
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

#pragma once

#include <cstdint>
#include <vector>

#include "engine/intervals.hpp"
#include "papilio/engine/isa/operands.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// The time that one DMA engine takes for its share of a transfer, from the first byte to the last.
struct dma_span {
  int engine;
  interval time;
};

/// The schedule of one DMA engine.
///
/// Work is placed in the engine's idle time from the work's start on. While the engine is busy with
/// other queues the work waits, at most `wait_max_ns` in all; then it is interleaved with their
/// buffers, and the time that it took from them is added to the engine's busy time in the next idle
/// time. Ends that were returned for earlier work are not moved.
class dma_schedule {
 public:
  /// Returns the time from the first byte to the last. Appends to `busy` the intervals in which the
  /// engine is busy now and was not before.
  interval place(double start_ns, double work_ns, double wait_max_ns, std::vector<interval>& busy);
  double end_ns() const { return busy_.intervals().empty() ? 0 : busy_.intervals().back().end_ns; }

 private:
  void fill(double from_ns, double work_ns, std::vector<interval>& busy);

  interval_union busy_;
};

/// The DMA engines of a core and their queues.
///
/// The buffers of a transfer are dealt to the engines in equal shares. Each queue works in order,
/// and an engine serves the queues round robin, buffer by buffer: while other queues have work that
/// is ready, a transfer waits for at most as many buffers of each as it has itself, so that a small
/// transfer soon ends. Transfers are placed in the order of the program. A transfer that waits for
/// its operands leaves the engines to later transfers that are ready sooner.
class dma_engines {
 public:
  explicit dma_engines(const engine::dma_spec& spec);

  /// Places a transfer of `buffers` buffers, each of which takes an engine `each_ns`, whose
  /// operands are ready at `ready_ns`; its first byte moves dma_spec::start_ns later at the
  /// earliest. Returns the time from the first byte to the last.
  interval place(std::uint64_t buffers, double each_ns, int queue, double ready_ns);
  /// Returns the span of the latest transfer on each engine that takes part in it.
  std::vector<dma_span> spans() const;
  /// Returns when engines are busy with the latest transfer and were idle before it was placed.
  const std::vector<interval>& busy() const { return busy_; }
  /// Returns when the latest transfer of a queue ends.
  double queue_end_ns(int queue) const { return queues_[std::size_t(queue)].end_ns; }
  double busy_ns() const { return busy_ns_; }  ///< summed over engines
  double end_ns() const { return end_ns_; }    ///< when all engines are idle for good

 private:
  struct queue_state {
    double begin_ns = 0;  // since when it has had ready work without a break
    double end_ns = 0;
    double buffer_ns = 0;  // the time of one buffer of its latest transfer
  };
  double round_ns(const queue_state& own, double from_ns, double until_ns) const;
  interval place_share(std::size_t engine, double start_ns, double work_ns, double wait_max_ns);

  const engine::dma_spec& spec_;
  std::vector<dma_schedule> engines_;  // one for all until a transfer gives them unequal shares
  std::vector<queue_state> queues_;
  std::vector<dma_span> spans_;  // empty where the span of every engine is `whole_`
  interval whole_{0, 0};
  std::vector<interval> busy_;
  std::size_t next_engine_ = 0;
  double busy_ns_ = 0, end_ns_ = 0;
};

}  // namespace papilio::engine_detail

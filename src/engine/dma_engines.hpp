#pragma once

#include <cstdint>
#include <vector>

#include "engine/intervals.hpp"
#include "papilio/engine/isa/operands.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// What one DMA engine does of a transfer, as its queue sees it.
struct dma_span {
  int engine;
  interval time;
};

/// When one DMA engine moves data.
///
/// Work goes into the idle time from its start on. Where the engine is busy with other queues it
/// waits for them, but for `wait_max_ns` in all at most; then it goes between their buffers, and
/// the engine does as much of theirs later: in the idle time after it. Their ends, once given,
/// stay.
class dma_schedule {
 public:
  /// Returns from the first byte to the last. `busy` gets the time that the engine is busy besides.
  interval place(double start_ns, double work_ns, double wait_max_ns, std::vector<interval>& busy);
  double end_ns() const { return busy_.intervals().empty() ? 0 : busy_.intervals().back().end_ns; }

 private:
  void fill(double from_ns, double work_ns, std::vector<interval>& busy);

  interval_union busy_;
};

/// The DMA engines of a core and their queues.
///
/// A transfer's buffers are dealt to the engines in equal shares. Queues are in order inside, and an engine
/// serves them round robin, buffer by buffer: while other queues have work that is ready, a
/// transfer waits for at most as many buffers of each as it has itself, so that a small one is soon
/// through. Transfers are placed in the order of the program. One that still waits for its operands
/// leaves the engines to those that come later and are ready sooner.
class dma_engines {
 public:
  explicit dma_engines(const engine::dma_spec& spec);

  /// Places a transfer of so many buffers, each `each_ns` of an engine, whose operands are ready at
  /// `ready_ns`; the data move from start_ns later at the earliest. Returns from the first byte to
  /// the last.
  interval place(std::uint64_t buffers, double each_ns, int queue, double ready_ns);
  /// Of the transfer placed last, engine by engine.
  std::vector<dma_span> spans() const;
  /// When engines are busy because of it and would not have been.
  const std::vector<interval>& busy() const { return busy_; }
  /// When the latest transfer of a queue ends.
  double queue_end_ns(int queue) const { return queues_[std::size_t(queue)].end_ns; }
  double busy_ns() const { return busy_ns_; }  ///< summed over engines
  double end_ns() const { return end_ns_; }    ///< all that engines were given is done

 private:
  struct queue_state {
    double begin_ns = 0;  // since when it has had work that was ready
    double end_ns = 0;
    double buffer_ns = 0;  // of its latest transfer
  };
  double round_ns(const queue_state& own, double from_ns, double until_ns) const;
  interval place_share(std::size_t engine, double start_ns, double work_ns, double wait_max_ns);

  const engine::dma_spec& spec_;
  std::vector<dma_schedule> engines_;  // one for all until a transfer gives them unequal shares
  std::vector<queue_state> queues_;
  std::vector<dma_span> spans_;  // none where all engines have `whole_`
  interval whole_{0, 0};
  std::vector<interval> busy_;
  std::size_t next_engine_ = 0;
  double busy_ns_ = 0, end_ns_ = 0;
};

}  // namespace papilio::engine_detail

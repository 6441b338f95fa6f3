#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/intervals.hpp"
#include "papilio/engine/isa/instruction_base.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// What one DMA engine does of a transfer.
struct dma_span {
  int engine;
  interval time;
};

/// The DMA engines of a core and their queues.
///
/// A transfer's buffers are dealt to the engines in equal shares; an engine takes for each the
/// larger of bytes over rate and the descriptor time. Queues are in order inside, and an engine
/// serves them round robin, buffer by buffer: while other queues have work, a transfer waits for at
/// most as many buffers of each as it has itself, so that a small one is soon through. Transfers
/// are placed in the order of the program; one that comes later does not move the end that an
/// earlier one was given, but what it takes is owed by all that follow, so that no engine does more
/// than its rate.
class dma_engines {
 public:
  explicit dma_engines(const engine::dma_spec& spec);

  /// Places a transfer whose operands are ready at `ready_ns`; the data move from start_ns later
  /// at the earliest. Returns from the first byte to the last.
  interval place(const engine::instruction_cost& cost, int queue, double ready_ns);
  /// Of the transfer placed last, engine by engine.
  const std::vector<dma_span>& spans() const { return spans_; }
  /// When the latest transfer of a queue ends.
  double queue_end_ns(int queue) const { return queues_[std::size_t(queue)].end_ns; }
  double busy_ns() const { return busy_ns_; }  ///< summed over engines

 private:
  struct queue_state {
    double end_ns = 0;
    double buffer_ns = 0;  // of its latest transfer
  };
  const engine::dma_spec& spec_;
  std::vector<double> free_ns_;  // of each engine: all that it was given is done
  std::vector<queue_state> queues_;
  std::vector<dma_span> spans_;
  std::size_t next_engine_ = 0;
  double busy_ns_ = 0;
};

}  // namespace papilio::engine_detail

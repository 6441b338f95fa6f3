#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/checker.hpp"
#include "engine/hand_order.hpp"
#include "engine/instruction_run.hpp"
#include "engine/operand_list.hpp"
#include "engine/profile_context.hpp"
#include "engine/psum_groups.hpp"
#include "engine/record.hpp"
#include "engine/tile_memory.hpp"
#include "engine/timeline.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::engine_detail {

// In-order queues: the compute engines by their number, then those of DMA.
inline constexpr int first_dma_queue = 8;
constexpr int queue_index(engine::unit on, int dma_queue) {
  return on == engine::unit::dma ? first_dma_queue + dma_queue : int(on);
}
constexpr engine::unit unit_of(int queue) {
  return queue >= first_dma_queue ? engine::unit::dma : engine::unit(queue);
}

/// An instruction with its place on the timeline, as counts and traces see it.
struct issued {
  std::size_t kind;  // its place in engine::instruction
  const char* opcode;
  const operand_list& operands;
  const engine::instruction_cost& cost;
  engine::unit on;
  int queue;  // of DMA
  const placement& when;
  const dependency& load;    // what LoadStationary, or whoever writes descriptors, waited for
  const dependency& latest;  // what the instruction proper waited for last
};

/// A core at work: memories, timeline, checks and counts.
class core_state {
 public:
  core_state(const engine::machine_spec& machine, const engine::core_options& options);

  /// `one` is the instruction of that place among the alternatives.
  void issue(std::size_t kind, const void* one);
  /// A tensor that the program is given; `data` may be null in a dry run.
  engine::hbm_view add_tensor(std::span<const std::int64_t> extents, engine::dtype type,
                              const std::string& name, std::byte* data, bool constant, bool output);
  engine::hbm_view scratch_tensor(std::span<const std::int64_t> extents, engine::dtype type);
  /// Takes memory of the device that tensors given to the program fill.
  void reserve_hbm(std::int64_t bytes) { hbm_bytes_ += bytes; }
  /// Kernels that follow one another on a core: nothing is ordered by hand until this one says so.
  void begin_kernel(const std::string& name);
  /// What was issued so far is past for all that follows.
  void order_by_hand();
  /// kernel_error if an output is not complete.
  void end_kernel();
  engine::profile summary() const;

  engine::machine_spec machine;
  engine::core_options options;
  std::string kernel = "(none)";
  tile_memory sbuf, psum;
  timeline times;
  checker check;
  instruction_run run;
  run_record record;
  std::optional<least_work> least = {};
  hand_order order;
  psum_groups groups;

 private:
  void join_queues();
  template <std::size_t Kind>
  static void issue_alternative(core_state& core, const void* one);
  template <class Instruction>
  void issue_one(const Instruction& i, std::size_t kind);
  bool is_own(const named_operand& o) const;
  void check_operands(operand_list& list, engine::unit on);
  placement place(const operand_list& list, const engine::instruction_cost& cost, engine::unit on,
                  int queue, dependency& load, dependency& latest);
  /// `free_ns`: before it the instruction cannot start, so that what ended by then is not told.
  void ready_times(const operand_list& list, engine::unit on, int queue, double free_ns,
                   dependency& load, dependency& rest) const;
  /// An instruction that reads what the one before on its engine wrote does not start sooner than
  /// the engine's dependent interval after it.
  void wait_for_last(const operand_list& list, engine::unit on, dependency& latest) const;
  void log(const operand_list& list, const placement& when, engine::unit on, int queue);
  void count(const issued& i);
  void count_time(const issued& i);
  void count_bytes(const issued& i);
  void count_waiting(const issued& i, engine::unit on, double until_ns, const dependency& reason);
  dma_record& dma_of(const issued& i);
  /// `settings`: what the instruction was told besides its operands.
  void keep_event(const issued& i, const std::string& settings);
  /// What a product that accumulates adds to.
  void check_sum(const operand_list& list);
  /// Sums that an instruction begins or ends.
  void note_sums(const operand_list& list, engine::unit on);
  void check_registers(const operand_list& list, engine::unit on);
  int next_queue(bool loads);

  std::deque<hbm_storage> tensors_;
  std::deque<array<std::byte, 1>> tensor_memory_;
  std::size_t kernel_first_tensor_ = 0;
  std::int64_t hbm_bytes_ = 0;
  int next_load_queue_ = 0, next_store_queue_ = 0;
};

}  // namespace papilio::engine_detail

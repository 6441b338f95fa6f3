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

// In-order queues are numbered: first the compute engines by their unit's number, then DMA queues.
inline constexpr int first_dma_queue = 8;
constexpr int queue_index(engine::unit on, int dma_queue) {
  return on == engine::unit::dma ? first_dma_queue + dma_queue : int(on);
}
constexpr engine::unit unit_of(int queue) {
  return queue >= first_dma_queue ? engine::unit::dma : engine::unit(queue);
}

/// An instruction with its place on the timeline, for counts and traces.
struct issued {
  std::size_t kind;  // its index in engine::instruction
  const char* opcode;
  const operand_list& operands;
  const engine::instruction_cost& cost;
  engine::unit on;
  int queue;  // the DMA queue; 0 on other units
  const placement& when;
  const dependency& load;    // the last that LoadStationary or the descriptors' writer waited for
  const dependency& latest;  // the last that the multiply or the data movement waited for
};

/// The state of a core while it runs a program: memories, timeline, checks and counts.
class core_state {
 public:
  core_state(const engine::machine_spec& machine, const engine::core_options& options);

  /// Checks, places, executes and counts one instruction. `one` points to alternative `kind` of
  /// engine::instruction.
  void issue(std::size_t kind, const void* one);
  /// Adds a tensor that the program is given; `data` may be null in a dry run.
  engine::hbm_view add_tensor(std::span<const std::int64_t> extents, engine::dtype type,
                              const std::string& name, std::byte* data, bool constant, bool output);
  engine::hbm_view scratch_tensor(std::span<const std::int64_t> extents, engine::dtype type);
  /// Counts device memory as taken, where the program's operands and other buffers lie.
  void reserve_hbm(std::int64_t bytes) { hbm_bytes_ += bytes; }
  /// Begins the next kernel of the program, which the core orders until order_by_hand() is called.
  void begin_kernel(const std::string& name);
  /// Leaves the order of all that follows to the kernel's semaphores. A barrier separates it from
  /// what was issued so far.
  void order_by_hand();
  /// Throws kernel_error if a strict core finds an output of which elements were never written.
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
  /// Finds what an instruction's operands wait for: `load` for the stationary operand, `rest` for
  /// the others. The instruction cannot start before `free_ns`, so that accesses that ended by then
  /// may be left out.
  void ready_times(const operand_list& list, engine::unit on, int queue, double free_ns,
                   dependency& load, dependency& rest) const;
  /// Delays an instruction that reads the result of the one before it on its engine: the starts of
  /// the two are at least the engine's dependent interval apart.
  void wait_for_last(const operand_list& list, engine::unit on, dependency& latest) const;
  void log(const operand_list& list, const placement& when, engine::unit on, int queue);
  void count(const issued& i);
  void count_time(const issued& i);
  void count_bytes(const issued& i);
  void count_waiting(const issued& i, engine::unit on, double until_ns, const dependency& reason);
  dma_record& dma_of(const issued& i);
  /// Adds the instruction to the trace; `settings` is the text of its settings.
  void keep_event(const issued& i, const std::string& settings);
  /// Refuses a product that accumulates where there is no open accumulation group to add to.
  void check_sum(const operand_list& list);
  /// Notes which accumulation groups an instruction begins or ends by what it writes to PSUM.
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

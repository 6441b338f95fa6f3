#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/intervals.hpp"
#include "papilio/engine/instruction.hpp"
#include "papilio/engine/isa/operands.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

/// An engine can wait for each unit, by the unit's number, and for room on chip that was in use.
inline constexpr std::size_t waited_for_room = engine::unit_count;
inline constexpr std::size_t waited_for_count = engine::unit_count + 1;

/// The activity of one engine: instructions, busy time, and idle time by its cause.
struct unit_record {
  std::uint64_t instructions = 0;
  double instruction_ns = 0;  // the sum of lengths, whether they overlap or not
  ordered_union active;       // dma_record has that of DMA
  double accounted_ns = 0;    // up to this time everything is active or has a cause in waited_ns
  /// Idle time by the cause that the engine waited for.
  std::array<double, waited_for_count> waited_ns{};
};

/// Totals of the transfers whose descriptors were made in one of two ways: before the program ran,
/// or by gpsimd while it runs.
struct dma_record {
  interval_union active;
  std::uint64_t packets = 0, bytes = 0;
};

inline constexpr std::size_t opcode_count = std::variant_size_v<engine::instruction>;
// Parts of an instruction that profiles and traces show as instructions of their own.
inline constexpr const char* load_stationary_opcode = "load_stationary";
inline constexpr const char* descriptors_opcode = "write_descriptors";

/// Totals of the instructions of one kind on one unit.
struct opcode_record {
  std::uint64_t count = 0;
  double ns = 0;                      // the sum of lengths, whether they overlap or not
  double multiply_adds = 0;           // of the tensor engine
  double weighted_multiply_adds = 0;  // times the passes that the array makes for them
};

/// A named step of a program. Its span reaches from the earliest start to the latest end of its
/// instructions, so that the spans of two steps may overlap.
struct step_record {
  std::string name;
  interval span{0, 0};
  std::uint64_t instructions = 0;
};

/// All counts of a running program; its profile and its trace are derived from them.
struct run_record {
  std::array<unit_record, engine::unit_count> units;
  interval_union active;  // times at which some unit is active
  std::uint64_t instructions = 0;
  /// Totals by the instruction's index in engine::instruction, and by unit.
  std::array<std::array<opcode_record, engine::unit_count>, opcode_count> opcodes{};
  opcode_record stationary_loads;   // LoadStationary: count and ns
  opcode_record descriptor_writes;  // of gpsimd, for transfers: count and ns
  std::uint64_t hbm_read_bytes = 0, hbm_write_bytes = 0;
  std::uint64_t sbuf_read_bytes = 0, sbuf_write_bytes = 0;
  std::uint64_t psum_read_bytes = 0, psum_write_bytes = 0;
  std::uint64_t psum_to_sbuf_count = 0, psum_to_sbuf_bytes = 0;
  std::uint64_t dma_transfers = 0;
  dma_record static_dma;                                  // descriptors made before the program ran
  dma_record software_dma;                                // written by gpsimd meanwhile
  std::uint64_t dma_queues = 0;                           // one bit for each queue in use
  double dma_engine_busy_ns = 0;                          // summed over engines
  std::int64_t sbuf_peak_bytes = 0, psum_peak_bytes = 0;  // of a partition
  std::vector<step_record> steps;
  bool steps_are_of_all = false;  // core::step ignores calls without of_all
  engine::trace events;           // where traced
  double end_ns = 0;
};

}  // namespace papilio::engine_detail

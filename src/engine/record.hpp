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

/// Who an engine can wait for: the units by their number, then a place on chip that was in use.
inline constexpr std::size_t waited_for_room = engine::unit_count;
inline constexpr std::size_t waited_for_count = engine::unit_count + 1;

/// What one engine did.
struct unit_record {
  std::uint64_t instructions = 0;
  double instruction_ns = 0;  // plain sum
  ordered_union active;       // DMA's is in dma_record
  double accounted_ns = 0;    // until here time is activity or has a reason in waited_ns
  /// Time that the engine stood still, by what it waited for.
  std::array<double, waited_for_count> waited_ns{};
};

/// Transfers whose descriptors were made in the same way.
struct dma_record {
  interval_union active;
  std::uint64_t packets = 0, bytes = 0;
};

inline constexpr std::size_t opcode_count = std::variant_size_v<engine::instruction>;
// Work that is part of an instruction and yet one of its own to whoever does it.
inline constexpr const char* load_stationary_opcode = "load_stationary";
inline constexpr const char* descriptors_opcode = "write_descriptors";

/// Instructions of one kind on one unit.
struct opcode_record {
  std::uint64_t count = 0;
  double ns = 0;                      // plain sum
  double multiply_adds = 0;           // tensor engine
  double weighted_multiply_adds = 0;  // times passes: what the array was busy for
};

/// What a step of a program took part in: the span from its first instruction's start to its last's
/// end.
struct step_record {
  std::string name;
  interval span{0, 0};
  std::uint64_t instructions = 0;
};

/// Everything counted while a program runs; profile and trace are made of it.
struct run_record {
  std::array<unit_record, engine::unit_count> units;
  interval_union active;  // of any unit
  std::uint64_t instructions = 0;
  /// By the instruction's place in engine::instruction, and unit.
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
  bool steps_are_of_all = false;  // programs inside do not name any
  engine::trace events;           // where traced
  double end_ns = 0;
};

}  // namespace papilio::engine_detail

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/intervals.hpp"
#include "papilio/engine/unit.hpp"

namespace papilio::engine_detail {

/// What one engine did.
struct unit_record {
  std::uint64_t instructions = 0;
  double instruction_ns = 0;  // plain sum
  interval_union active;
  /// Time that the engine stood still, by the unit whose work it waited for.
  std::array<double, engine::unit_count> waited_ns{};
};

/// One instruction as traces and listings show it.
struct event {
  std::uint64_t index;
  const char* opcode;
  engine::unit on;
  int lane;  // of DMA: the engine
  interval time;
  std::uint64_t waited_for;  // the instruction that it had to wait for last, or no_instruction
  std::string operands;
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
  std::uint64_t instructions = 0;
  std::uint64_t matmuls = 0, transposes = 0, activations = 0;
  double multiply_adds = 0;            // as the model counts them: of matmul
  double transpose_multiply_adds = 0;  // of transposes on the tensor engine
  double weighted_multiply_adds = 0;   // times passes: what the array was busy for
  double weighted_transpose_multiply_adds = 0;
  std::uint64_t hbm_read_bytes = 0, hbm_write_bytes = 0;
  std::uint64_t sbuf_read_bytes = 0, sbuf_write_bytes = 0;
  std::uint64_t psum_read_bytes = 0, psum_write_bytes = 0;
  std::uint64_t psum_to_sbuf_count = 0, psum_to_sbuf_bytes = 0;
  std::uint64_t dma_transfers = 0, dma_buffers = 0, dma_bytes = 0;
  std::uint64_t dma_queues = 0;                           // one bit for each queue in use
  double dma_engine_busy_ns = 0;                          // summed over engines
  std::int64_t sbuf_peak_bytes = 0, psum_peak_bytes = 0;  // of a partition
  std::vector<step_record> steps;
  std::vector<event> events;  // where traced
  double end_ns = 0;
};

}  // namespace papilio::engine_detail

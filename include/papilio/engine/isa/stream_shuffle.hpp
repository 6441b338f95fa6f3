#pragma once

#include <array>

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// Moves rows within each 32 partitions: out[32 g + i] = in[32 g + mask[i]]; where mask[i] is 255,
/// partition 32 g + i of out stays. Partitions are counted from the first of each view and are a
/// multiple of 32 (ours). in and out are of one type and size. Vector engine; SBUF or PSUM.
/// Cost max(64, N) [I:nc_stream_shuffle].
struct PAPILIO_API stream_shuffle {
  static constexpr const char* opcode = "stream_shuffle";
  static constexpr int entries = 32;
  tile_view out, in;
  std::array<std::uint8_t, entries> mask{};

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine

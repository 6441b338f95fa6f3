#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// Gives `sent` to core `to` of a group and fills `received` with what core `from` gave: rows of
/// partitions without gaps.
using exchange_function = std::function<void(int to, int from, std::span<const std::byte> sent,
                                             std::span<std::byte> received)>;

/// Sends the elements of `in` to core `to` of the group and receives as many into `out` from core
/// `from`: tiles in SBUF of one type, partitions and elements. Both ways go at once.
/// The data go through what core::connect() was given; a core that is not connected refuses to
/// execute it (a dry run needs no peer). Cost: a message between neighbouring cores
/// (link_model::message_ns), on the collective unit; the wait for the peer is not in it.
struct PAPILIO_API send_receive {
  static constexpr const char* opcode = "send_receive";
  tile_view out, in;
  int to = 0, from = 0;

  unit runs_on() const { return unit::collective; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine

#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

enum class collective_kind : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };
PAPILIO_API const char* to_string(collective_kind kind);

/// The time that an exchange among cores takes in the program of one of them. Cost only: values
/// are device_group's, and so is the cost, in the terms of link_model: with parts of
/// ceil(bytes / cores), cores - 1 steps of shift_ns(1, part), all_reduce twice as many; all_to_all
/// shift_ns(d, part) for d = 1 ... cores - 1. One core: nothing.
struct PAPILIO_API collective {
  static constexpr const char* opcode = "collective";
  collective_kind kind = collective_kind::all_reduce;
  int cores = 2;
  /// Of the whole: what each core reduces, gathers, scatters or exchanges.
  std::int64_t bytes = 0;

  unit runs_on() const { return unit::collective; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine

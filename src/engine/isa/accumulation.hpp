#pragma once

#include <array>
#include <cstddef>

#include "engine/instruction_run.hpp"
#include "engine/isa/reduction.hpp"
#include "engine/isa/scalar_use.hpp"
#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine_detail {

/// Returns what a reduction of nothing gives.
inline float neutral(engine::alu_op op) {
  const float value = reduce_row(op, 0, nullptr);
  return value == 0 ? 0.0f : value;  // sums begin at -0, which keeps the sign of -0
}

/// Returns the number that load_reduce loads in partition p, 0 for other commands. It may lie where
/// the instruction writes, so it must be read before results are.
template <class Instruction>
float loaded_number(const Instruction& i, row_access& rows, int p) {
  return i.command == engine::reduce_command::load_reduce ? value_of(i.initial, rows, p) : 0;
}

/// Follows the command of instruction `i` in partition p, whose results are a row, and stores the
/// row in its `out` and the register in its `reduced`, if that is given. `loaded` is the number
/// that load_reduce begins with.
template <class Instruction>
void commit_and_reduce(const Instruction& i, engine::alu_op op, instruction_run& run,
                       row_access& rows, int p, const float* results, float loaded = 0) {
  using engine::reduce_command;
  float& held = run.reduced.value(i.runs_on(), lanes_of(i).partition() + p);
  const auto add_to = [&](float before) {
    const std::array<float, 2> both{before, reduce_row(op, std::size_t(i.out.elements()), results)};
    held = reduce_row(op, both.size(), both.data());
  };
  if (i.command == reduce_command::reset) held = neutral(op);
  if (i.command == reduce_command::reset_reduce)
    held = reduce_row(op, std::size_t(i.out.elements()), results);
  if (i.command == reduce_command::reduce) add_to(held);
  if (i.command == reduce_command::load_reduce) add_to(loaded);
  float total = held;
  if constexpr (requires { i.negate; })
    if (i.negate) total = -total;
  rows.commit(i.out, p, results);
  if (!i.reduced.empty()) rows.commit(i.reduced, p, &total);
}

/// Refuses a number or a tile to load where the registers are not loaded.
template <class Instruction>
void require_load_for_initial(const checker& check, const Instruction& i) {
  const bool is_given = !i.initial.tile.empty() || i.initial.value != 0;
  check.that(!is_given || i.command == engine::reduce_command::load_reduce, "initial",
             "is loaded by load_reduce alone, command is ", to_string(i.command));
}

/// Refuses a scalar operand that is a tile of another type than fp32.
inline void require_fp32(const checker& check, const char* name,
                         const engine::scalar_operand& scalar) {
  if (!scalar.tile.empty()) check.has_type(name, scalar.tile, engine::dtype::fp32);
}

}  // namespace papilio::engine_detail

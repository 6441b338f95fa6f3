#pragma once

#include <cstdint>
#include <limits>

#include "papilio/base/export.hpp"

namespace papilio::engine {

/// Selects what executes an instruction: the engines of a core, each in order, and its DMA queues.
enum class unit : std::uint8_t { tensor, vector, scalar, gpsimd, sync, collective, dma };
inline constexpr int unit_count = 7;

/// Returns "tensor", "vector", ...
PAPILIO_API const char* to_string(unit u);

/// Says what an instruction does with one of its fields.
enum class role : std::uint8_t {
  setting,          ///< a number, a choice, a pattern, a semaphore
  read,             ///< an operand or a register
  write,            ///< an operand or a register
  update,           ///< reads and writes
  write_or_update,  ///< update where the instruction's updates() holds, write elsewhere
  load              ///< reads; the tensor engine by LoadStationary, before the instruction proper
};
/// Returns "setting", "read", ...
PAPILIO_API const char* to_string(role does);

/// Says which types the elements of an operand may have; `any` is all with one number an element.
enum class element_kind : std::uint8_t { any, floating, integer, int32, fp32, packed };
/// Says where an operand on chip must be.
enum class residence : std::uint8_t { anywhere, sbuf, psum };
/// Says which operations of alu_op a setting may be. Bitwise ones, where they are allowed, take
/// integers only: tiles, and constants in [-2^31, 2^32).
enum class operations : std::uint8_t {
  all,
  arithmetic,
  comparison,
  reduction,
  number_reduction,
  running,           ///< add, subtract, multiply, maximum, minimum
  extreme_reduction  ///< add, and maximum and minimum of values and of magnitudes
};

/// Says what an instruction does with its engine's reduce registers, one for each partition of what
/// it reads, beside its other results.
enum class reduce_command : std::uint8_t {
  idle,          ///< nothing
  reset,         ///< sets them to the reduction of nothing
  reduce,        ///< reduces its results and what they hold into them
  reset_reduce,  ///< reduces its results into them
  load_reduce    ///< reduces its results and `initial` into them
};
/// Returns "idle", "reset", ...
PAPILIO_API const char* to_string(reduce_command command);

/// Returns a set of units, or of commands, as a mask.
template <class... Choices>
constexpr unsigned units_of(Choices... choices) {
  return ((1u << unsigned(choices)) | ...);
}
template <class... Choices>
constexpr unsigned commands_of(Choices... choices) {
  return units_of(choices...);
}

/// Commands to the vector engine's reduce registers, of the instructions that select and of those
/// that may load the registers.
inline constexpr unsigned running_commands =
    commands_of(reduce_command::idle, reduce_command::reduce, reduce_command::reset_reduce);
inline constexpr unsigned loading_commands =
    commands_of(reduce_command::reduce, reduce_command::reset_reduce, reduce_command::load_reduce);

/// Holds what an instruction asks of a field whatever its other fields are. Other operands are meant
/// by their names.
struct field_rules {
  bool optional = false;               ///< may be left out
  const char* like = nullptr;          ///< as many partitions and elements as this operand
  const char* rows_of = nullptr;       ///< as many partitions
  const char* columns_of = nullptr;    ///< as many elements a partition
  std::int64_t rows = 0, columns = 0;  ///< partitions, elements a partition; 0: any
  const char* type_of = nullptr;       ///< has this operand's type
  const char* scales_of = nullptr;     ///< has this packed operand's scales, as mx_scale_rows says
  element_kind elements = element_kind::any;
  residence memory = residence::anywhere;
  const char* one_in_sbuf = nullptr;  ///< this operand or it must be in SBUF
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  operations choice = operations::all;
  unsigned units = 0;     ///< units_of those that it may name; 0: any
  unsigned commands = 0;  ///< commands_of those that it may be; 0: any

  constexpr bool bounded() const {
    constexpr double all = std::numeric_limits<double>::infinity();
    return least > -all || most < all;
  }
};

/// Describes a field of an instruction. Hazards, checks, listings, recorded programs and what other
/// languages know of instructions follow from it.
struct field {
  const char* name;
  role does = role::setting;
  field_rules rules = {};
};

/// Rules of a tile with one element for each partition of an operand: read before the others stream.
constexpr field_rules column_of(const char* operand, bool optional = false) {
  return {.optional = optional, .rows_of = operand, .columns = 1};
}

}  // namespace papilio::engine

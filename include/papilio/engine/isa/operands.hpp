#pragma once

#include <array>
#include <concepts>
#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/isa/field.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {
class checker;
class instruction_run;
}  // namespace papilio::engine_detail

// Every instruction is a plain struct of operands with the same members:
//   opcode      its name in messages, listings and profiles
//   fields      its fields in order, what it does with each and asks of each: hazards, checks that
//               concern one field or two, listings and recorded programs follow
//   runs_on()   the unit that executes it
// and, where it has any:
//   updates()         whether it reads what it writes (role::write_or_update)
//   moved_elements()  elements of a partition that move, if their place is known when executed
//   moved_in_hbm()    those of a tensor in HBM
//   validate()        refuses what the machine refuses besides: kernel_error, before anything is
//                     computed
//   cost()            what it takes, from shapes and machine_spec alone
//   execute()         the values
namespace papilio::engine {

inline constexpr int group_cores_max =
    4096;  ///< cores of a group, each a thread: as many as a process can hold

// Operands of packed types (dtype) have a scale for each group of 32 numbers, 8 partitions by the 4
// numbers of an element. In every quadrant of 32 partitions the scales of its 4 groups lie on 4
// neighbouring partitions, from the quadrant's partition 0, 4, 8 or 12 on, so that the scales of
// four operands fit one tile. A scale is a byte s for 2^(s - 127), 255 a NaN (E8M0) [A3,
// K:quantize_mx].
inline constexpr int mx_numbers = 4;         ///< numbers of an element
inline constexpr int mx_group_rows = 8;      ///< partitions of a group
inline constexpr int mx_quadrant_rows = 32;  ///< partitions that have their scales among them
inline constexpr int mx_scale_rows = 4;      ///< partitions of scales in a quadrant
inline constexpr int mx_scale_places = 4;    ///< places for scales in a quadrant

/// Returns the partitions that the view of an operand's scales spans: from the first row of the
/// first quadrant's to the last row of the last quadrant's.
constexpr int mx_scale_span(int partitions) {
  return (partitions / mx_quadrant_rows - 1) * mx_quadrant_rows + mx_scale_rows;
}

/// Holds the cost of an instruction. Cycles are of its engine's clock, as in the cost table; static
/// cost and the factor for far strides are the machine's and are added for all alike.
struct instruction_cost {
  double cycles = 0;
  double load_cycles = 0;         ///< tensor engine: LoadStationary, behind the multiply before
  int row_tile = -1;              ///< tensor engine: the only rows of the array in use; -1: all
  int column_tile = -1;           ///< tensor engine: the only columns in use; -1: all
  bool is_transpose = false;      ///< tensor engine: may run in the background of a machine
  double fixed_ns = 0;            ///< added, for any clock
  std::uint64_t dma_buffers = 0;  ///< contiguous runs of a transfer
  double dma_buffer_bytes = 0;    ///< of each
  double dma_rate_factor = 1;     ///< of the engines' rate, below 1 for transposing transfers
  double dma_descriptor_ns = 0;   ///< per buffer, if not dma.descriptor_ns
  double descriptor_cycles = 0;   ///< of gpsimd, which writes the descriptors before the transfer
  double multiply_adds = 0;       ///< tensor engine, for the profile's FLOPs
  double passes = 1;              ///< tensor engine: of the type, for the profile's adjusted FLOPs
};

/// Selects an operation of the vector engines' arithmetic units. All but the bitwise ones and the
/// shifts compute in fp32 for any operand types (int32 is converted: exact up to 2^24); comparisons
/// give 1 or 0. Those named _bits_ and the shifts take int32 or uint8 operands and remain integers.
enum class alu_op : std::uint8_t {
  bypass,  ///< the left operand
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  absolute_maximum,  ///< max(|a|, |b|)
  absolute_minimum,  ///< min(|a|, |b|), which only activate2 reduces by
  equal,
  not_equal,
  greater,
  greater_equal,
  less,
  less_equal,
  logical_and,  ///< of a != 0, b != 0
  logical_or,
  logical_xor,
  bits_and,
  bits_or,
  bits_xor,
  shift_left,
  shift_right,
  power  ///< a to the b, computed in double and rounded once
};

PAPILIO_API const char* to_string(alu_op op);
/// Returns whether the operation works on integers bit by bit.
constexpr bool is_bitwise(alu_op op) { return op >= alu_op::bits_and && op <= alu_op::shift_right; }

/// Generates an integer for each element of a tile: base + partition_step * p + the sum over the
/// levels of (index in the level * its stride). The levels, slowest first, count the elements of a
/// partition: the product of their extents is N. They may differ from the tile's own pattern.
struct affine_pattern {
  std::int64_t base = 0;
  std::int64_t partition_step = 0;
  std::array<pattern_dim, 4> levels = {};

  bool operator==(const affine_pattern&) const = default;
};

/// Holds one number for each partition: a constant (fp32; for bitwise operations an integer in
/// [-2^31, 2^32)), or a (P, 1) tile.
struct scalar_operand {
  double value = 0;
  tile_view tile = {};  ///< instead of `value`, where given

  scalar_operand() = default;
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  scalar_operand(Number constant) : value(double(constant)) {}
  scalar_operand(const tile_view& view) : tile(view) {}
  scalar_operand(const engine::tile& whole) : tile(whole.whole()) {}
  bool operator==(const scalar_operand&) const = default;
};

}  // namespace papilio::engine

#pragma once

#include <array>

#include "papilio/engine/isa/operands.hpp"
#include "papilio/engine/isa/synchronization.hpp"

namespace papilio::engine {

/// Computes out[p] = (mean, variance) of everything that the statistics in[p] count: triples of
/// (count, mean, count * variance), as bn_stats gives them. The variance is that of the population.
/// fp32, in order: sum of counts, sum of count * mean over it, then the sum of M2 + count *
/// (mean - whole mean)^2 over it (the order is ours). Counts that sum to 0 give NaN. out is (P, 2),
/// in (P, 3 k). Vector engine. Cost max(64, 13 N / 3), N = 3 k [I:bn_aggr].
struct PAPILIO_API bn_aggr {
  static constexpr const char* opcode = "bn_aggr";
  static constexpr field fields[] = {{"out", role::write, {.rows_of = "in", .columns = 2}},
                                     {"in", role::read}};
  tile_view out, in;

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out[p] = (count, mean, count * variance) of the elements of in[p] with even index, then
/// of those with odd index; zeros if there are none. fp32: the mean is a reduced sum (in the order
/// of every reduction along the free axis) over the count, the third the reduced sum of squared
/// differences from it (both ours). out is (P, 6). Vector engine. Cost max(64, N), N at most 512
/// [I:bn_stats].
struct PAPILIO_API bn_stats {
  static constexpr const char* opcode = "bn_stats";
  static constexpr field fields[] = {{"out", role::write, {.rows_of = "in", .columns = 6}},
                                     {"in", role::read}};
  tile_view out, in;

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Drops elements: out = 0 with the given probability, in otherwise (not rescaled), independently.
/// Which elements are dropped depends only on seed, partition (from the first of the view) and
/// index in the pattern, so that the same seed over the same shape drops the same ones.
/// probability: a constant in [0, 1], or a (P, 1) tile (up to 0: none, from 1 on: all). Vector
/// engine; SBUF or PSUM. Cost max(64, N) [I:dropout].
struct PAPILIO_API dropout {
  static constexpr const char* opcode = "dropout";
  static constexpr field fields[] = {{"out", role::write},
                                     {"in", role::read, {.like = "out"}},
                                     {"probability", role::read, {.least = 0, .most = 1}},
                                     {"seed"}};
  tile_view out, in;
  scalar_operand probability = {};
  std::uint64_t seed = 0;

  unit runs_on() const { return unit::vector; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out = exp(in - max_value) in fp32, rounded to the type of out. `command` adds the
/// results, before they are rounded, to the vector engine's reduce registers, one for each
/// partition of in, which tensor_scalar_cumulative, tensor_scalar_reduce, range_select and
/// select_reduce use too; `reduced`, a (P, 1) tile, receives the registers afterwards. idle leaves
/// them undefined. `initial` belongs to load_reduce. From NeuronCore-v4 on [K:exponential]. Vector
/// engine; SBUF or PSUM. Cost max(64, N/4), four times the rate of activation [A3], and 64 with
/// `reduced` (ours, as tensor_scalar_reduce).
struct PAPILIO_API exponential {
  static constexpr const char* opcode = "exponential";
  static constexpr field fields[] = {
      {"out", role::write},
      {"reduced", role::write, column_of("out", true)},
      {"in", role::read, {.like = "out"}},
      {"max_value", role::read},
      {"command", role::setting, {.commands = running_commands | loading_commands}},
      {"initial", role::read}};
  tile_view out;
  tile_view reduced = {};
  tile_view in;
  scalar_operand max_value = {};
  reduce_command command = reduce_command::idle;
  scalar_operand initial = {};

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Finds out[p, k] = the position of values[p, k] in in[p], as max8 returns them: the first
/// position or, for a value that occurs j times before k among the eight, the one after j others;
/// -1, all ones, if there is none [K:nc_find_index8]. NaN equals NaN. in has 8 to 16384 elements
/// per partition; out is (P, 8) of int32 (ours), values (P, 8). Vector engine. Cost N
/// [I:nc_find_index8].
struct PAPILIO_API find_index8 {
  static constexpr const char* opcode = "find_index8";
  static constexpr field fields[] = {
      {"out", role::write, {.rows_of = "in", .columns = 8, .elements = element_kind::int32}},
      {"in", role::read},
      {"values", role::read, {.rows_of = "in", .columns = 8}}};
  tile_view out, in, values;

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Copies out = in, with `replacement` at the positions that find_index8 finds for values[p, 0 ...
/// 7]. out and in are (P, N), N at most 16384, and may be the same elements, values is (P, 8).
/// `places`, if given, (P, 8) of int32 (ours), receives the positions. Values are looked for from
/// the last to the first, so that equal ones have theirs in descending order, other than
/// find_index8's [K:nc_match_replace8]; -1 if there is none (ours, as find_index8). Vector engine.
/// Cost max(64, N) [I:nc_match_replace8 prints min(64, N); ours], with places or without (ours).
struct PAPILIO_API match_replace8 {
  static constexpr const char* opcode = "match_replace8";
  static constexpr field fields[] = {
      {"out", role::write},
      {"places",
       role::write,
       {.optional = true, .like = "values", .elements = element_kind::int32}},
      {"in", role::read, {.like = "out"}},
      {"values", role::read, {.rows_of = "in", .columns = 8}},
      {"replacement"}};
  tile_view out;
  tile_view places = {};
  tile_view in, values;
  float replacement = 0;

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Finds out[p] = the eight largest of in[p], descending; equal ones each count. NaN is above
/// everything (ours). out is (P, 8), in has 8 to 16384 elements per partition [K:max8]. Vector
/// engine. Cost N [I:max8].
struct PAPILIO_API max8 {
  static constexpr const char* opcode = "max8";
  static constexpr field fields[] = {{"out", role::write, {.rows_of = "in", .columns = 8}},
                                     {"in", role::read}};
  tile_view out, in;

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Sets out = value, rounded to fp32 and to the type of out; for integer types it must be an
/// integer in their range. Vector or gpsimd engine; SBUF or PSUM (gpsimd: SBUF). Cost max(64, N);
/// max(64, N/2) for zeros in 16 bits [I:memset; on gpsimd ours].
struct PAPILIO_API memset {
  static constexpr const char* opcode = "memset";
  static constexpr field fields[] = {
      {"out", role::write},
      {"value"},
      {"on", role::setting, {.units = units_of(unit::vector, unit::gpsimd)}}};
  tile_view out;
  double value = 0;
  unit on = unit::vector;

  unit runs_on() const { return on; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Quantises to 8 bits with a scale for each group of 32 numbers, 8 partitions by 4 neighbours
/// along a partition: out[p, i] packs in[p, 4 i ... 4 i + 3], each divided by its group's scale and
/// rounded (mx_scale_rows says where the scales lie). A scale is 2^(floor(log2 a) - (e - 1)), a the
/// largest magnitude of its group and e the largest exponent of the type, 8 of fp8_e4m3fn and 15 of
/// fp8_e5m2: twice that of the example in OCP's specification, so that no number saturates; 2^-127
/// is the least, and a group of zeros has it [K:quantize_mx]. A group with a NaN or an infinity has
/// scale 255, and NaNs (ours).
/// in is (P, 4 N) of bf16 or fp16, P 32, 64, 96 or 128; out is (P, N) of fp8_e4m3fn_x4 or
/// fp8_e5m2_x4; scales are uint8. All are in SBUF. Vector engine. Cost max(64, N), four numbers a
/// partition a cycle [A3; the minimum is ours]. NeuronCore-v4 and later.
struct PAPILIO_API quantize_mx {
  static constexpr const char* opcode = "quantize_mx";
  static constexpr field fields[] = {
      {"out", role::write, {.elements = element_kind::packed, .memory = residence::sbuf}},
      {"scales",
       role::write,
       {.scales_of = "out", .elements = element_kind::integer, .memory = residence::sbuf}},
      {"in",
       role::read,
       {.rows_of = "out", .elements = element_kind::floating, .memory = residence::sbuf}}};
  tile_view out, scales, in;

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out[i] = in[i] where (start + i) op0 bound0 and (start + i) op1 bound1, on_false
/// elsewhere; i is the index of the element in the pattern of its partition, the sum is in fp32.
/// The (P, 1) tile `reduced`, if given, receives their maximum before rounding to the type of out,
/// by way of the reduce registers and `command` (see exponential); it does not overlap out. op0 and
/// op1 are comparisons, on_false is the lowest finite number. Vector engine, from NeuronCore-v3 on
/// [K:range_select]; SBUF or PSUM. Cost max(64, N) [I:range_select], with the maximum or without
/// (ours).
struct PAPILIO_API range_select {
  static constexpr const char* opcode = "range_select";
  static constexpr field fields[] = {{"out", role::write},
                                     {"reduced", role::write, column_of("out", true)},
                                     {"in", role::read, {.like = "out"}},
                                     {"op0", role::setting, {.choice = operations::comparison}},
                                     {"bound0", role::read},
                                     {"op1", role::setting, {.choice = operations::comparison}},
                                     {"bound1", role::read},
                                     {"start"},
                                     {"on_false"},
                                     {"command", role::setting, {.commands = running_commands}}};
  tile_view out;
  tile_view reduced = {};
  tile_view in;
  alu_op op0 = alu_op::greater_equal;
  scalar_operand bound0 = {};
  alu_op op1 = alu_op::less;
  scalar_operand bound1 = {};
  float start = 0;
  float on_false = -3.402823466e38f;  ///< the lowest finite
  reduce_command command = reduce_command::reset_reduce;

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out = 1 / in, correctly rounded to fp32 and then to the type of out. Vector engine;
/// SBUF or PSUM. Cost max(64, 2.6N), fitted to profiles; I:reciprocal says 8N.
struct PAPILIO_API reciprocal {
  static constexpr const char* opcode = "reciprocal";
  static constexpr field fields[] = {{"out", role::write}, {"in", role::read, {.like = "out"}}};
  tile_view out, in;

  unit runs_on() const { return unit::vector; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out = (in op0 operand0) op1 right, element by element; with `reverse0` the scalar, and
/// with `reverse1` the tile `right`, is the left operand of its operation. Each rounds to fp32, and
/// the result to the type of out. No bitwise operations. in and right may not both be in PSUM
/// (ours, as tensor_tensor). Vector engine. Cost 2N; N if all tiles are bf16, N is even, op0 is
/// subtract and op1 multiply [I:scalar_tensor_tensor].
struct PAPILIO_API scalar_tensor_tensor {
  static constexpr const char* opcode = "scalar_tensor_tensor";
  static constexpr field fields[] = {{"out", role::write},
                                     {"in", role::read, {.like = "out"}},
                                     {"right", role::read, {.like = "out", .one_in_sbuf = "in"}},
                                     {"op0", role::setting, {.choice = operations::arithmetic}},
                                     {"operand0", role::read},
                                     {"reverse0"},
                                     {"op1", role::setting, {.choice = operations::arithmetic}},
                                     {"reverse1"}};
  tile_view out, in, right;
  alu_op op0 = alu_op::bypass;
  scalar_operand operand0 = {};
  bool reverse0 = false;
  alu_op op1 = alu_op::bypass;
  bool reverse1 = false;

  unit runs_on() const { return unit::vector; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Selects out = on_true where predicate is not 0, on_false where it is.
/// predicate is int32 or uint8, the others are of one type. on_true and predicate may not both be
/// in PSUM (ours, as tensor_tensor). Vector engine. No cost is documented; ours: a tensor_copy of
/// on_false, and a tensor_copy_predicated of on_true over it, in one instruction.
struct PAPILIO_API select {
  static constexpr const char* opcode = "select";
  static constexpr field fields[] = {
      {"out", role::write},
      {"predicate",
       role::read,
       {.like = "out", .elements = element_kind::integer, .one_in_sbuf = "on_true"}},
      {"on_true", role::read, {.like = "out", .type_of = "out"}},
      {"on_false", role::read, {.like = "out", .type_of = "out"}}};
  tile_view out, predicate, on_true, on_false;

  unit runs_on() const { return unit::vector; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Selects out = on_true where predicate is not 0 (with `reverse`: is 0), on_false elsewhere. The
/// (P, 1) tile `reduced`, if given, receives its reduction by `reduce_op` in the order of
/// tensor_reduce, before rounding to the type of out, by way of the reduce registers and `command`
/// (see exponential); it does not overlap out. reduce_op as in tensor_scalar_reduce.
/// predicate is int32 or uint8. on_true and predicate may not both be in PSUM (ours, as
/// tensor_tensor). Vector engine. No cost is documented; ours: max(64, 2N), with a reduction + 64
/// as tensor_scalar_reduce.
struct PAPILIO_API select_reduce {
  static constexpr const char* opcode = "select_reduce";
  static constexpr field fields[] = {
      {"out", role::write},
      {"reduced", role::write, column_of("out", true)},
      {"predicate",
       role::read,
       {.like = "out", .elements = element_kind::integer, .one_in_sbuf = "on_true"}},
      {"on_true", role::read, {.like = "out"}},
      {"on_false", role::read},
      {"reverse"},
      {"reduce_op", role::setting, {.choice = operations::number_reduction}},
      {"command", role::setting, {.commands = running_commands}}};
  tile_view out;
  tile_view reduced = {};
  tile_view predicate, on_true;
  scalar_operand on_false = {};
  bool reverse = false;
  alu_op reduce_op = alu_op::maximum;
  reduce_command command = reduce_command::reset_reduce;

  unit runs_on() const { return unit::vector; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Permutes rows within each 32 partitions: out[32 g + i] = in[32 g + mask[i]]; where mask[i] is
/// 255, partition 32 g + i of out is unchanged. Partitions are counted from the first of each view
/// and are a multiple of 32 (ours). in and out are of one type and size. Vector engine; SBUF or
/// PSUM. Cost max(64, N) [I:nc_stream_shuffle].
struct PAPILIO_API stream_shuffle {
  static constexpr const char* opcode = "stream_shuffle";
  static constexpr field fields[] = {{"out", role::write_or_update},
                                     {"in", role::read, {.like = "out", .type_of = "out"}},
                                     {"mask"}};
  static constexpr int entries = 32;
  tile_view out, in;
  std::array<std::uint8_t, entries> mask{};

  unit runs_on() const { return unit::vector; }
  /// Returns whether an entry keeps a partition of `out`, which then counts as read too.
  bool updates() const {
    for (const int entry : mask)
      if (entry >= entries) return true;
    return false;
  }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Copies out = in, converted to out's type. Vector, gpsimd or, from NeuronCore-v3 on, scalar
/// engine [K:tensor_copy]; copy_tile() does the same on any machine. Each tile in SBUF or PSUM
/// (gpsimd: SBUF). Cost max(64, N) [I:tensor_copy]; in trainium2's performance mode, on the vector
/// engine with both 16 bits wide, a quarter if they are in SBUF and of unit stride, half where one
/// of these two fails [A2].
struct PAPILIO_API tensor_copy {
  static constexpr const char* opcode = "tensor_copy";
  static constexpr field fields[] = {
      {"out", role::write},
      {"in", role::read, {.like = "out"}},
      {"on", role::setting, {.units = units_of(unit::vector, unit::scalar, unit::gpsimd)}}};
  tile_view out, in;
  unit on = unit::vector;

  unit runs_on() const { return on; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

enum class dynamic_side : std::uint8_t { source, destination };

/// Copies a tile with an offset r from a register, in the source or the destination:
///   source:      out[p, i] = in[p, r + i]     destination: out[p, r + i] = in[p, i]
/// r is in elements of that operand's only level; N, the number of elements copied in each
/// partition, is the other operand's. r beyond [0, elements - N] is refused when executed. Whatever
/// r is, all of that operand counts as read, or as read and written: it must have been written.
/// Vector, scalar or gpsimd engine, whose register it is. Cost max(600, N)
/// [I:tensor_copy_dynamic_src, _dst].
struct PAPILIO_API tensor_copy_dynamic {
  static constexpr const char* opcode = "tensor_copy_dynamic";
  static constexpr field fields[] = {
      {"out", role::write_or_update},
      {"in", role::read, {.rows_of = "out"}},
      {"offset", role::read, {.units = units_of(unit::vector, unit::scalar, unit::gpsimd)}},
      {"side"}};
  tile_view out, in;
  engine_register offset;
  dynamic_side side = dynamic_side::source;

  unit runs_on() const { return offset.on; }
  bool updates() const { return side == dynamic_side::destination; }
  std::int64_t moved_elements() const { return updates() ? in.elements() : out.elements(); }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Copies out = in where predicate is not 0 (with `reverse`: is 0); other elements of out are
/// unchanged.
/// predicate is int32 or uint8, in and out are of one type. in and predicate may not both be in
/// PSUM (ours, as tensor_tensor). Vector engine. Cost max(64, N) with in and predicate split
/// between SBUF and PSUM, max(64, 2N) with both in SBUF [I:tensor_copy_predicated].
struct PAPILIO_API tensor_copy_predicated {
  static constexpr const char* opcode = "tensor_copy_predicated";
  static constexpr field fields[] = {
      {"out", role::update},
      {"in", role::read, {.like = "out", .type_of = "out"}},
      {"predicate",
       role::read,
       {.like = "out", .elements = element_kind::integer, .one_in_sbuf = "in"}},
      {"reverse"}};
  tile_view out, in, predicate;
  bool reverse = false;

  unit runs_on() const { return unit::vector; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Reduces out = in over the last `levels` levels of its pattern; out has one element for each
/// index of the levels before them, in their order. `negate`: times -1.
/// op: add, multiply, maximum, minimum, absolute_maximum, logical_and, logical_or, logical_xor; or
/// bits_and, bits_or, bits_xor of integer tiles, without negate. fp32 otherwise: element i goes
/// into partial result i mod 16, and those are combined pairwise, j with j + 8, + 4, + 2, + 1
/// (ours; the order of the hardware is not documented). Vector engine; SBUF or PSUM. Cost N,
/// elements of in; N/2 if bf16 in and out with add or maximum [I:tensor_reduce].
struct PAPILIO_API tensor_reduce {
  static constexpr const char* opcode = "tensor_reduce";
  static constexpr field fields[] = {{"out", role::write, {.rows_of = "in"}},
                                     {"in", role::read},
                                     {"op", role::setting, {.choice = operations::reduction}},
                                     {"levels", role::setting, {.least = 1}},
                                     {"negate"}};
  tile_view out, in;
  alu_op op = alu_op::add;
  int levels = 1;
  bool negate = false;

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out = (in op0 operand0) op1 operand1, element by element; with `reverse`, the scalar is
/// the left operand. Each operation rounds to fp32, and the result to the type of out. Bitwise
/// operations combine only with bitwise ones and bypass, on integer tiles, and not on the scalar
/// engine (ours). Vector, scalar or gpsimd engine; NeuronCore-v3's scalar engine only multiplies,
/// adds, or multiplies and then adds [K:tensor_scalar]. SBUF or PSUM (gpsimd: SBUF).
/// Cost max(64, N) with one operation or two [I:tensor_scalar; on gpsimd ours]. In trainium2's
/// performance mode, on the vector engine and with 16-bit tiles, as tensor_copy [A2].
struct PAPILIO_API tensor_scalar {
  static constexpr const char* opcode = "tensor_scalar";
  static constexpr field fields[] = {
      {"out", role::write},
      {"in", role::read, {.like = "out"}},
      {"op0"},
      {"operand0", role::read},
      {"reverse0"},
      {"op1"},
      {"operand1", role::read},
      {"reverse1"},
      {"on", role::setting, {.units = units_of(unit::vector, unit::scalar, unit::gpsimd)}}};
  tile_view out, in;
  alu_op op0 = alu_op::bypass;
  scalar_operand operand0 = {};
  bool reverse0 = false;
  alu_op op1 = alu_op::bypass;
  scalar_operand operand1 = {};
  bool reverse1 = false;
  unit on = unit::vector;

  unit runs_on() const { return on; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out[p, i] = op1(in[p, i] op0 operand0, out[p, i - 1]) along each partition, in the
/// order of the pattern, in fp32 before it is rounded to the type of out. The value before the
/// first is what `command` says: the reduction of nothing by op1 (0 for add and subtract, 1 for
/// multiply, minus or plus infinity for maximum and minimum), what the reduce registers hold, or
/// `initial`; the last stays in the registers (see exponential). op0 is not bitwise; operand0 and
/// initial are constants or fp32, in and out not int32 [K:tensor_scalar_cumulative]. Vector engine;
/// SBUF or PSUM. No cost is documented; ours: max(64, N), as tensor_scalar's one input.
struct PAPILIO_API tensor_scalar_cumulative {
  static constexpr const char* opcode = "tensor_scalar_cumulative";
  static constexpr field fields[] = {{"out", role::write},
                                     {"in", role::read, {.like = "out"}},
                                     {"op0", role::setting, {.choice = operations::arithmetic}},
                                     {"operand0", role::read},
                                     {"op1", role::setting, {.choice = operations::running}},
                                     {"command", role::setting, {.commands = loading_commands}},
                                     {"initial", role::read}};
  tile_view out, in;
  alu_op op0 = alu_op::bypass;
  scalar_operand operand0 = {};
  alu_op op1 = alu_op::add;
  reduce_command command = reduce_command::reset_reduce;
  scalar_operand initial = {};

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out = in op operand, element by element, and reduced[p] = the reduction of those by
/// `reduce_op`, before they are rounded to the type of out, in the order of tensor_reduce, by way
/// of the reduce registers and `command` (see exponential); `negate`: reduced, not the registers,
/// times -1. op is not bitwise. reduced is a (P, 1) tile that does not overlap out, or absent;
/// reduce_op is one that tensor_reduce has, but not bitwise. Vector engine; SBUF or PSUM. Cost
/// max(64, N), and 64 with `reduced` [I:tensor_scalar_reduce].
struct PAPILIO_API tensor_scalar_reduce {
  static constexpr const char* opcode = "tensor_scalar_reduce";
  static constexpr field fields[] = {
      {"out", role::write},
      {"reduced", role::write, column_of("out", true)},
      {"in", role::read, {.like = "out"}},
      {"op", role::setting, {.choice = operations::arithmetic}},
      {"operand", role::read},
      {"reverse"},
      {"reduce_op", role::setting, {.choice = operations::number_reduction}},
      {"command", role::setting, {.commands = loading_commands}},
      {"initial", role::read},
      {"negate"}};
  tile_view out;
  tile_view reduced = {};
  tile_view in;
  alu_op op = alu_op::bypass;
  scalar_operand operand = {};
  bool reverse = false;  ///< operand op in
  alu_op reduce_op = alu_op::add;
  reduce_command command = reduce_command::reset_reduce;
  scalar_operand initial = {};  ///< of load_reduce
  bool negate = false;

  unit runs_on() const { return unit::vector; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out = left op right, element by element.
/// Both inputs may not be in PSUM; partitions and elements per partition of all three are equal.
/// Vector or gpsimd engine. Cost max(64, N) with one input in PSUM and one in SBUF, or all bf16 in
/// SBUF with unit strides and add, subtract or multiply; else max(64, 2N) [I:tensor_tensor].
struct PAPILIO_API tensor_tensor {
  static constexpr const char* opcode = "tensor_tensor";
  static constexpr field fields[] = {
      {"out", role::write},
      {"left", role::read, {.like = "out"}},
      {"right", role::read, {.like = "out", .one_in_sbuf = "left"}},
      {"op"},
      {"on", role::setting, {.units = units_of(unit::vector, unit::gpsimd)}}};
  tile_view out, left, right;
  alu_op op = alu_op::add;
  unit on = unit::vector;

  unit runs_on() const { return on; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out[i] = (left[i] op0 out[i - 1]) op1 right[i] along each partition, in the order of
/// the pattern, with `initial` for out[-1]; `reverse0`: out[i - 1] op0 left[i]; `reverse1`:
/// right[i] op1 (...). The running value is fp32, before it is rounded to the type of out. No
/// bitwise operations. left and right may not both be in PSUM (ours, as tensor_tensor). Vector
/// engine. Cost max(64, 2N) [I:tensor_tensor_scan].
struct PAPILIO_API tensor_tensor_scan {
  static constexpr const char* opcode = "tensor_tensor_scan";
  static constexpr field fields[] = {{"out", role::write},
                                     {"left", role::read, {.like = "out"}},
                                     {"right", role::read, {.like = "out", .one_in_sbuf = "left"}},
                                     {"initial", role::read},
                                     {"op0", role::setting, {.choice = operations::arithmetic}},
                                     {"op1", role::setting, {.choice = operations::arithmetic}},
                                     {"reverse0"},
                                     {"reverse1"}};
  tile_view out, left, right;
  scalar_operand initial = {};
  alu_op op0 = alu_op::multiply;
  alu_op op1 = alu_op::add;
  bool reverse0 = false;
  bool reverse1 = false;

  unit runs_on() const { return unit::vector; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

}  // namespace papilio::engine

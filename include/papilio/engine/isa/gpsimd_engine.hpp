#pragma once

#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine {

/// Computes out = (pattern compare 0) ? in : otherwise, element by element: triangles, bands and
/// checks of bounds without a mask in memory. `compare` is one of the six comparisons. gpsimd. The
/// bits of `in` are kept if both types are integers; `otherwise` is rounded to out's type. Cost
/// 150 + N [I:affine_select].
struct PAPILIO_API affine_select {
  static constexpr const char* opcode = "affine_select";
  static constexpr field fields[] = {{"out", role::write},
                                     {"in", role::read, {.like = "out"}},
                                     {"pattern"},
                                     {"compare", role::setting, {.choice = operations::comparison}},
                                     {"otherwise"}};
  tile_view out, in;
  affine_pattern pattern = {};
  alu_op compare = alu_op::greater_equal;
  float otherwise = 0;

  unit runs_on() const { return unit::gpsimd; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Generates out = the integers of a pattern, converted to out's type. Each must fit int32, or
/// uint8 if that is out's type. gpsimd. Cost 150 + N [I:iota].
struct PAPILIO_API iota {
  static constexpr const char* opcode = "iota";
  static constexpr field fields[] = {{"out", role::write}, {"pattern"}};
  tile_view out;
  affine_pattern pattern = {};

  unit runs_on() const { return unit::gpsimd; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Gathers within each gpsimd processor's own 16 partitions, with indices that they share:
///   out[p, i e ... i e + e - 1] = in[p, j e ... j e + e - 1]
/// e = elements_per_index is a power of two up to 32, j the i-th index of p's processor, which has at
/// most 4096 [K:local_gather]. The i-th index lies in partition i % 16 of its 16, element i / 16 of
/// `indices`, which is int32 (ours). P is a multiple of 16 for all three; out holds as many groups of e as
/// there are valid indices. All in SBUF, out of in's type. An index beyond in is refused when
/// executed.
/// Cost 150 + valid * e / C with C = ((28 + 4 e) / (4 e)) / min(4 / bytes of the type, e)
/// [I:local_gather].
struct PAPILIO_API local_gather {
  static constexpr const char* opcode = "local_gather";
  static constexpr field fields[] = {
      {"out", role::write, {.rows_of = "in", .type_of = "in"}},
      {"in", role::read},
      {"indices", role::read, {.rows_of = "in", .elements = element_kind::int32}},
      {"elements_per_index"}};
  tile_view out, in, indices;
  int elements_per_index = 1;

  unit runs_on() const { return unit::gpsimd; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Gathers within each partition, out[p, i] = in[p, indices[p, i]]: the elements of a partition are
/// counted in the order of in's pattern. indices is int32 (ours; K:nc_n_gather has uint32) and out
/// of in's type, all in SBUF; bits are kept. An index beyond in is refused when executed. gpsimd.
/// No cost is documented; ours: 150 + N for each 512 elements of indices, which are a group of
/// instructions of their own [K:nc_n_gather that they are].
struct PAPILIO_API n_gather {
  static constexpr const char* opcode = "n_gather";
  static constexpr field fields[] = {
      {"out", role::write, {.rows_of = "in", .type_of = "in"}},
      {"in", role::read},
      {"indices", role::read, {.like = "out", .elements = element_kind::int32}}};
  tile_view out, in, indices;

  unit runs_on() const { return unit::gpsimd; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Reduces over the partitions, out[0, i] = in[0, i] op in[1, i] op ... `op` is add, multiply,
/// maximum or minimum, in fp32. Each processor of gpsimd reduces its 16 partitions in order, then
/// processor j takes j + 4, j + 2, j + 1 (the order is ours). out is (1, N); gpsimd. Cost 150 + 4 N
/// (ours: no document has a formula; see gpsimd.partition_reduce_...).
struct PAPILIO_API partition_reduce {
  static constexpr const char* opcode = "partition_reduce";
  static constexpr field fields[] = {
      {"out", role::write, {.columns_of = "in", .rows = 1}}, {"in", role::read}, {"op"}};
  tile_view out, in;
  alu_op op = alu_op::add;

  unit runs_on() const { return unit::gpsimd; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Finds, for each element of a row of segment numbers, where its segment (its run of equal
/// neighbours) begins and where it ends, one past the last: out[p, i] and out[p, N + i]. Elements
/// of segment 0 are padding: N and -1. in is (P, N), out (P, 2 N); int32 or fp32 each. gpsimd. Cost
/// 150 + N (ours: no document has a formula).
struct PAPILIO_API sequence_bounds {
  static constexpr const char* opcode = "sequence_bounds";
  static constexpr field fields[] = {{"out", role::write, {.rows_of = "in"}}, {"in", role::read}};
  tile_view out, in;

  unit runs_on() const { return unit::gpsimd; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Finds values[p] = the K largest of in[p], descending, and indices[p] = their positions; equal
/// ones in the order of position, NaN above everything (both ours). values is (P, K), indices (P,
/// K) of int32. gpsimd. Cost 150 + 4 N + K (the SDK's stub has 4 N + K; 150 is the start of every
/// gpsimd instruction).
struct PAPILIO_API topk {
  static constexpr const char* opcode = "topk";
  static constexpr field fields[] = {
      {"values", role::write, {.rows_of = "in"}},
      {"indices", role::write, {.like = "values", .elements = element_kind::int32}},
      {"in", role::read}};
  tile_view values, indices, in;

  unit runs_on() const { return unit::gpsimd; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

}  // namespace papilio::engine

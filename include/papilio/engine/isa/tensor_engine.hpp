#pragma once

#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine {

/// Computes out[m, n] = (out[m, n] if accumulate) + sum over k of stationary[k, m] moving[k, n].
/// k runs over the partitions of both inputs (at most 128), m over the elements of stationary (at
/// most 128), n over those of moving (at most 512). Inputs are in SBUF; out is fp32 in one bank of
/// PSUM, with m partitions. Where the machine has `tensor.bf16_results` out may be bf16, n then up to
/// 1024: a sum and what PSUM holds are added in fp32, and the result is rounded [A3].
/// Operands are rounded to their types; a column of the array sums from row 0 on, one fma a row,
/// beginning at 0, and PSUM then adds the sum to what it holds in fp32. Where the machine rounds
/// products (`tensor.products_rounded`), each row multiplies, rounds and adds.
/// A partition of a bank has one accumulation group: accumulate is refused where a product or a
/// transpose without it has begun elsewhere in the bank since (A1), and onto what another engine
/// wrote, which NeuronCore-v2 and -v3 leave undefined [K:nc_matmul].
/// Row tiles: a product that is `row_tiled` has at most tensor.min_tile_rows rows (64 on trainium1,
/// 32 from trainium2 on), both operands on partitions of the tile (from a multiple of its rows on), and
/// uses only those rows of the array: products of other tiles run at the same time [I:nc_matmul's
/// tile_position]. From order_by_hand() on it uses the whole array.
/// Column tiles: a product that is `column_tiled` has at most as many columns of stationary, and out
/// on partitions of a tile (from a multiple of its columns on); it uses only those columns of the
/// array, in its row tile where it has one; double rows have none [I:nc_matmul;
/// K:nc_matmul describes them too, though its parameters allow only 128 columns].
/// Double rows: a product that is `double_row` has the two halves of its contraction, of up to 256
/// rows, behind each other in each partition: stationary is (P, 2, M), moving (P, 2, N), both of
/// fp8, whose formats may differ. The array multiplies and adds both rows of a partition, the first
/// before the second, in the time of one [A2, K:nc_matmul]. Without it fp8 takes a pass as bf16
/// does. NeuronCore-v2 has none. fp8_e4m3fn is multiplied from NeuronCore-v4 on, and not together
/// with fp8_e4m3 [K:nc_matmul].
/// Cost: the multiply takes max(N, 64) cycles a pass (fp32 four passes), the LoadStationary before
/// it min(64, M) a pass behind the multiply before; together max(min(64, M), N, 64) [I:nc_matmul;
/// A1's initiation interval of 64].
struct PAPILIO_API matmul {
  static constexpr const char* opcode = "matmul";
  static constexpr field fields[] = {
      {"out",
       role::write_or_update,
       {.elements = element_kind::floating, .memory = residence::psum}},
      {"stationary", role::load, {.elements = element_kind::floating, .memory = residence::sbuf}},
      {"moving",
       role::read,
       {.rows_of = "stationary", .elements = element_kind::floating, .memory = residence::sbuf}},
      {"accumulate"},
      {"onezero"},
      {"row_tiled"},
      {"column_tiled"},
      {"double_row"}};
  tile_view out, stationary, moving;
  bool accumulate = false;
  /// fp32 with one operand of zeros and ones, flagged so: half the passes. Checked when executed.
  bool onezero = false;
  bool row_tiled = false;
  bool column_tiled = false;
  bool double_row = false;

  unit runs_on() const { return unit::tensor; }
  bool updates() const { return accumulate; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes matmul's sums for operands of packed types, dequantised by their scales: out[m, n] =
/// (out[m, n] if accumulate) + sum over partitions p and the numbers q of an element of
/// stationary[p, m, q] moving[p, n, q]. A number is its code's value times its group's scale
/// (mx_scale_rows), in fp32, exact unless it leaves fp32's range (ours); a group whose scale is 255
/// is NaN.
/// P is 32, 64, 96 or 128 partitions, so that up to 512 rows are contracted; M is even and at most
/// 128, N at most 512 elements, and the two types may differ [K:nc_matmul_mx]. Inputs and scales
/// are in SBUF; out is fp32, or bf16 of up to 1024 columns, in one bank of PSUM, with M partitions.
/// (The machine's instruction may cross banks; here it stays in one, ours.)
/// Sums run over partitions from 0 on, and over an element's numbers within, one fma a number
/// (ours), and PSUM adds them to what it holds; accumulation groups and row tiles are as matmul's.
/// Cost: max(N, 64) for the multiply, min(64, M) for the load: the four numbers of an element take
/// the time of one in bf16 [A3]. NeuronCore-v4 and later.
struct PAPILIO_API matmul_mx {
  static constexpr const char* opcode = "matmul_mx";
  static constexpr field fields[] = {
      {"out",
       role::write_or_update,
       {.elements = element_kind::floating, .memory = residence::psum}},
      {"stationary", role::load, {.elements = element_kind::packed, .memory = residence::sbuf}},
      {"stationary_scales",
       role::load,
       {.scales_of = "stationary", .elements = element_kind::integer, .memory = residence::sbuf}},
      {"moving",
       role::read,
       {.rows_of = "stationary", .elements = element_kind::packed, .memory = residence::sbuf}},
      {"moving_scales",
       role::read,
       {.scales_of = "moving", .elements = element_kind::integer, .memory = residence::sbuf}},
      {"accumulate"},
      {"row_tiled"}};
  tile_view out, stationary, stationary_scales, moving, moving_scales;
  bool accumulate = false;
  bool row_tiled = false;

  unit runs_on() const { return unit::tensor; }
  bool updates() const { return accumulate; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Transposes out[f, p] = in[p, f]. P partitions, F elements; out and in have the same type. Values
/// are moved unchanged. (On trainium1's tensor engine, which multiplies by the identity, a NaN or
/// an infinity would spread over its column; that it does not is ours.)
///
/// Tensor engine: P and F are at most 128, in is in SBUF and loaded as the stationary operand, out
/// is in one bank of PSUM. Cost max(P, min(64, F)) a pass [I:nc_transpose]; fp32 takes
/// `tensor.fp32_transpose_passes`, and on trainium3 runs beside the instruction before it where that
/// is not in the background itself [A3]. out is fp32 unless the machine's transpose mode lets it be 16
/// bits wide.
/// Vector engine: out and in in SBUF or PSUM, P and F at most 32, cost max(64, F) [I:nc_transpose;
/// that a block may go to other partitions is ours].
struct PAPILIO_API transpose {
  static constexpr const char* opcode = "transpose";
  static constexpr field fields[] = {
      {"out", role::write},
      {"in", role::load},
      {"on", role::setting, {.units = units_of(unit::tensor, unit::vector)}},
      {"strip"}};
  tile_view out, in;
  unit on = unit::tensor;
  /// Vector engine: F is at most lowering.transpose_strip_columns, in blocks that one instruction
  /// takes. The compiler lowers transposing loads to it (see lowering_spec); kernels do not issue it.
  bool strip = false;

  unit runs_on() const { return on; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

}  // namespace papilio::engine

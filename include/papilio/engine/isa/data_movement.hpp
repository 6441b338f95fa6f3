#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine {

/// Refers to the source or destination of a transfer: a tile in SBUF or part of a tensor in HBM.
struct dma_operand {
  tile_view tile;
  hbm_view hbm;

  dma_operand() = default;
  dma_operand(const tile_view& view) : tile(view) {}
  dma_operand(const hbm_view& view) : hbm(view) {}
  bool operator==(const dma_operand&) const = default;
  bool on_chip() const { return !tile.empty(); }
  dtype type() const { return on_chip() ? tile.type() : hbm.type(); }
  std::int64_t elements() const {
    return on_chip() ? tile.elements() * tile.partitions() : hbm.elements();
  }
};

/// Adds in the DMA engines, out = left + right, in fp32 whatever the types: elements in the order
/// of dma_copy, rounded once to the type of out. out may be the same elements as left, right, or
/// both; none may be in PSUM. With `indices`, a (P, 1) tile of int32 in SBUF, left is the same as
/// out, and one of the two sides is rows of a tensor in HBM, whose first axis is the row, the other
/// a tile in SBUF of P partitions:
///   out in HBM:  out[indices[p], :] += right[p, :]
///   out on chip: out[p, :] += right[indices[p], :]
/// An index out of range, or for an out in HBM one that comes twice, is refused when executed.
/// Cost: dma_copy's of left, right and out at dma.compute_rate of the rate [A3: half]; with indices
/// dma_gather's at that rate (ours).
struct PAPILIO_API dma_compute {
  static constexpr const char* opcode = "dma_compute";
  static constexpr field fields[] = {{"out", role::write},
                                     {"left", role::read},
                                     {"right", role::read},
                                     {"indices",
                                      role::read,
                                      {.optional = true,
                                       .columns = 1,
                                       .elements = element_kind::int32,
                                       .memory = residence::sbuf}},
                                     {"queue", role::setting, {.least = -1}}};
  static constexpr int any_queue = -1;
  dma_operand out, left, right;
  tile_view indices = {};
  int queue = any_queue;

  unit runs_on() const { return unit::dma; }
  /// Returns whether indices name rows of a tensor in HBM.
  bool has_indices() const { return !indices.empty(); }
  /// Returns the elements of that tensor that move; 0: all.
  std::int64_t moved_in_hbm() const {
    return has_indices() ? (out.on_chip() ? out : right).elements() : 0;
  }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Copies through a DMA engine, with conversion between types (fp32 in the middle, free).
/// On chip the partitions are the slowest index: element (p, i) of a tile is element
/// p * tile.elements() + i of the transfer; a tensor in HBM is read row by row. out and in have the
/// same number of elements, and neither may be in PSUM.
/// Cost: a transfer is a list of buffers, the runs that are contiguous in both out and in, at least
/// one for each partition; the engines share them, and each takes the larger of its bytes at the
/// engine's rate and the time of a descriptor; 1.3 us from the operands being ready to the start
/// [A1, D1, D2].
struct PAPILIO_API dma_copy {
  static constexpr const char* opcode = "dma_copy";
  static constexpr field fields[] = {
      {"out", role::write}, {"in", role::read}, {"queue", role::setting, {.least = -1}}};
  static constexpr int any_queue = -1;
  dma_operand out, in;
  /// In-order queue; any_queue: loads rotate over the lower half of the queues, stores over the
  /// upper.
  int queue = any_queue;

  unit runs_on() const { return unit::dma; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Gathers rows of a tensor in HBM into the partitions of a tile in SBUF, converted to its type:
/// out[p, :] = in[indices[p], :]. The first axis of `in` is the row; the others have as many
/// elements as a partition of out. indices is a (P, 1) tile of int32 in SBUF; an index out of range
/// is refused when executed.
/// Cost: gpsimd writes a descriptor for each buffer (dma.software_dge_cycles_per_descriptor), then
/// the transfer runs as dma_copy's, each buffer taking at least dma.indirect_descriptor_ns [D3 that
/// gpsimd pays; the numbers are ours]. A buffer is a run contiguous in out and in, at most a row.
struct PAPILIO_API dma_gather {
  static constexpr const char* opcode = "dma_gather";
  static constexpr field fields[] = {{"out", role::write, {.memory = residence::sbuf}},
                                     {"in", role::read},
                                     {"indices",
                                      role::read,
                                      {.rows_of = "out",
                                       .columns = 1,
                                       .elements = element_kind::int32,
                                       .memory = residence::sbuf}},
                                     {"queue", role::setting, {.least = -1}}};
  tile_view out;
  hbm_view in;
  tile_view indices;
  int queue = dma_copy::any_queue;

  unit runs_on() const { return unit::dma; }
  std::int64_t moved_in_hbm() const { return out.elements() * out.partitions(); }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Transposes a tensor of two axes in HBM, or a tile in SBUF, into a tile in SBUF of the same type:
/// out[c, r] = in[r, c]. in has at most 128 columns.
/// Cost: a copy of in's rows at dma.transpose_rate_hbm or _sbuf of the copy rate [A2, D3; that the
/// buffers are in's rows is ours]. Refused on a machine whose rate is 0 (trainium1): there
/// transposing_loader loads the rows and transposes blocks on the vector engine.
struct PAPILIO_API dma_transpose {
  static constexpr const char* opcode = "dma_transpose";
  static constexpr field fields[] = {
      {"out", role::write, {.type_of = "in", .memory = residence::sbuf}},
      {"in", role::read},
      {"queue", role::setting, {.least = -1}}};
  tile_view out;
  dma_operand in;
  int queue = dma_copy::any_queue;

  unit runs_on() const { return unit::dma; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

enum class collective_kind : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };
PAPILIO_API const char* to_string(collective_kind kind);

/// Models the time that an exchange among cores takes in the program of one of them. Values are
/// device_group's, and so is the cost, in the terms of link_model: with pieces of
/// ceil(bytes / cores), cores - 1 steps of shift_ns(1, piece), all_reduce twice as many; all_to_all
/// shift_ns(d, piece) for d = 1 ... cores - 1. One core: nothing.
struct PAPILIO_API collective {
  static constexpr const char* opcode = "collective";
  static constexpr field fields[] = {
      {"kind"},
      {"cores", role::setting, {.least = 1, .most = group_cores_max}},
      {"bytes", role::setting, {.least = 0}}};
  collective_kind kind = collective_kind::all_reduce;
  int cores = 2;
  /// Bytes of the whole: what each core reduces, gathers, scatters or exchanges.
  std::int64_t bytes = 0;

  unit runs_on() const { return unit::collective; }
  instruction_cost cost(const machine_spec& machine) const;
};

/// Gives `sent` to core `to` of a group and fills `received` with what core `from` gave: rows of
/// partitions without gaps.
using exchange_function = std::function<void(int to, int from, std::span<const std::byte> sent,
                                             std::span<std::byte> received)>;

/// Sends the elements of `in` to core `to` of the group and receives as many into `out` from core
/// `from`: tiles in SBUF of one type, partitions and elements. Both ways go at once. From
/// NeuronCore-v3 on, where documents allow cores 0 and 1 [K:sendrecv]; others are ours.
/// The data go through what core::connect() was given; a core that is not connected refuses to
/// execute it (a dry run needs no peer). Cost: a message between neighbouring cores
/// (link_model::message_ns), on the collective unit; the wait for the peer is not in it.
struct PAPILIO_API send_receive {
  static constexpr const char* opcode = "send_receive";
  static constexpr field fields[] = {
      {"out", role::write, {.like = "in", .type_of = "in", .memory = residence::sbuf}},
      {"in", role::read, {.memory = residence::sbuf}},
      {"to", role::setting, {.least = 0}},
      {"from", role::setting, {.least = 0}}};
  tile_view out, in;
  int to = 0, from = 0;

  unit runs_on() const { return unit::collective; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

}  // namespace papilio::engine

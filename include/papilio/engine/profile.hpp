#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/unit.hpp"

namespace papilio::engine {

/// What a number of a profile is of; texts print it accordingly.
enum class quantity : std::uint8_t { seconds, fraction, count, bytes, flops, ratio };

/// One number of a profile under the name that the vendor's profiler gives it.
struct profile_field {
  std::string_view name;  ///< of static duration
  double value = 0;
  quantity of = quantity::count;
};

/// Instructions of one kind on one unit. A LoadStationary of the tensor engine and descriptors that
/// gpsimd writes are kinds of their own.
struct profile_opcode {
  unit on = unit::tensor;
  std::string_view opcode;  ///< of static duration
  std::uint64_t count = 0;
  double seconds = 0;  ///< plain sum, overlaps counted twice
};

/// A step that the kernel named (core::step), all its occurrences together.
struct profile_step {
  std::string name;
  double seconds = 0;  ///< union of the spans from an occurrence's first start to its last end
  std::uint64_t instructions = 0;
};

/// What bounds a run, in numbers.
struct profile_verdict {
  /// The unit that was active longest, and its active time over total_time.
  unit bound_by = unit::vector;
  double active_fraction = 0;
  /// Of the time that DMA was active, the part in which an engine moved data, on average over the
  /// engines: low where transfers have few or short rows.
  double dma_engine_fraction = 0;
  /// How long the bounding unit stood still between its instructions for another's results or port,
  /// and for the place of a tile that somebody still used; and what it waited for most ("dma",
  /// "room on chip"; empty: it never waited).
  double waited_seconds = 0;
  std::string waited_for;
  double waited_for_seconds = 0;
  /// Inputs once and outputs once at the rate of all DMA engines; what core::state_floor said
  /// instead, where a kernel calls it.
  double hbm_floor_seconds = 0;
  /// Products (transposes left out) at their types' passes on a full array; likewise.
  double tensor_floor_seconds = 0;
  bool floor_was_stated = false;  ///< by core::state_floor
  /// The larger of the two, and over total_time.
  double floor_seconds = 0;
  double floor_fraction = 0;
};

/// Summary of a run on one core, under the names of the vendor's profiler and in its order. Fields
/// that the model has no meaning for (trace_count, spill_*, hardware_dynamic_dma_*, mfu_hlo_* ...)
/// are absent. Times are in seconds, *_percent are fractions 0 ... 1. Copies between host and
/// device are no part of it.
///
///   total_time               from the program's start to the end of its last instruction, and to
///                            the last byte that DMA moves
///   *_instruction_time       plain sum of durations, so that it can exceed total_time
///   *_active_time            union of the intervals with at least one instruction (DMA: with at
///                            least one engine that moves data, whichever transfer's; where
///                            queues share engines that is longer than the union of a trace's
///                            slices, which show each transfer as it was placed); waiting is no
///                            activity
///   *_active_time_percent    over total_time
///   *_instruction_count      a product or transpose on the tensor engine is two: LoadStationary,
///                            multiply
///   matmul_instruction_count products and transposes of the tensor engine, each one
///   neuroncore_cycle_count, dma_active_cycles   total_time and dma_active_time in cycles of
///                            machine_spec::base_clock_hz
///   hardware_flops           2 a multiply-add of the tensor engine, transposes included
///   transpose_flops          those of transposes alone (a product with an identity)
///   adjusted_*_flops         each multiplied by the passes it takes: fp32 4 (2 where flagged as
///                            zeros and ones; transposes 1), 16-bit types 1, fp8 1, or 0.5 where
///                            the array takes two rows at once
///   mm_arithmetic_intensity  hardware_flops less transpose_flops over the HBM bytes read and
///                            written; absent where none were
///   peak_flops_bandwidth_ratio  the array's one-pass peak over the core's share of HBM's rate
///                            (hbm.bandwidth_bytes_per_s / cores_per_chip)
///   mbu_estimated_percent    HBM bytes read and written over that share of the rate times
///                            total_time
///   hfu_estimated_percent    adjusted_hardware_flops over the one-pass peak times total_time
///   mfu_estimated_percent, mfu_inst_estimated_percent  the same less adjusted_transpose_flops: of
///                            the products that were issued, since a program is no graph whose
///                            FLOPs could be counted
///   mfu_max_achievable_estimated_percent, mfu_inst_max_achievable_estimated_percent  the roofline:
///                            the smaller of 1 and the products' adjusted FLOPs an HBM byte over
///                            peak_flops_bandwidth_ratio; absent as mm_arithmetic_intensity
///   dma_transfer_time        plain sum over transfers, first byte to last
///   dma_packet_time          time that the engines moved data, summed over engines
///   dma_transfer_total_bytes bytes written by transfers; dma_transfer_average_bytes over their
///                            number (absent without any)
///   dma_queue_count          queues in use
///   static_dma_*             transfers whose descriptors were there before the program ran;
///                            packets are descriptors, size is bytes written, and their
///                            percentages are of all transfers'
///   dynamic_dma_*, software_dynamic_dma_*  those whose descriptors gpsimd writes meanwhile, which
///                            are instructions of gpsimd too
///   inputs_and_weights_size_bytes, inputs_outputs_weights_size_bytes  tensors that the program is
///                            given, and those with its outputs; of a core's scratch tensors those
///                            read and never written, and those written and never read
///   hbm_*, sbuf_*, psum_*    bytes of the operands, as often as they are read or written
///   psum_read_sbuf_write_*   instructions from PSUM to SBUF, bytes written
///   activate_instruction_*   the scalar engine's activations
///   cc_op_*                  collective operations
///   total_active_time        union over all units
///
/// Source: schema 7.4.0 of the vendor's profiler; where it says less, the above is the definition.
struct PAPILIO_API profile {
  std::string kernel, machine;
  std::vector<profile_field> summary;
  std::vector<profile_opcode> opcodes;  ///< those that occur, by unit
  std::vector<profile_step> steps;      ///< in the order of their first occurrence
  profile_verdict verdict;

  /// invalid_argument with the nearest names if the profile has no such field.
  double value(std::string_view field) const;
  bool has(std::string_view field) const;

  /// The verdict in plain words, one to three lines.
  std::string verdict_text() const;
  /// Kernel and machine, one field a line, aligned, in plain units; opcodes, steps, verdict.
  std::string to_text() const;
  /// One object: field -> number, in order, in the units above.
  std::string to_json() const;
};

}  // namespace papilio::engine

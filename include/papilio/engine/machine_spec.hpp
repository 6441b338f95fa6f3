#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "papilio/base/export.hpp"
#include "papilio/engine/engine_specs.hpp"
#include "papilio/engine/memory_specs.hpp"

namespace papilio::engine {

/// What the compiler makes of a request that the hardware has no instruction for.
struct lowering_spec {
  /// A transposing load where dma.transpose_rate_hbm is 0: loads of rows, then transposes on
  /// VectorE of this many rows each. Inferred from the instruction counts of profile B1; ours.
  int transpose_block_rows = 32;
  /// A load of at most this many bytes a partition into a tile that VectorE reads as a scalar
  /// operand starts only when every VectorE instruction issued before it has ended. Inferred from
  /// the idle time of profile B1; ours.
  int scalar_reload_gate_bytes = 4;
  /// trnblas CHANGELOG 0.5.5: unrolled inner tiles of a program; 648 failed to load, 300 was the
  /// limit used; describes.
  int unrolled_tiles_max = 300;

  bool operator==(const lowering_spec&) const = default;
};

/// Between cores, chips and nodes. A message costs hops * hop time + bytes / rate (C1).
struct link_spec {
  int collective_cores = 6;        ///< H1: of a chip; describes
  int chips_per_node = 16;         ///< ours: trn1.32xlarge and trn2.48xlarge have 16
  double core_hop_ns = 1000;       ///< C1: 1 to 2 us a hop; its lower end within a chip is ours
  double chip_hop_ns = 2000;       ///< C1: 1 to 2 us a hop; its upper end between chips is ours
  double node_hop_ns = 15000;      ///< C1: about
  double core_bytes_per_ns = 272;  ///< ours: what the DMA engines of a core move
  /// ours: trainium2's 1280 (H2) by the ratio of the chips' DMA totals, 1 to 3.5 TB/s.
  double chip_bytes_per_ns = 366;
  double node_bytes_per_ns = 100;  ///< ours: a node's network as sold, 800 Gbit/s

  bool operator==(const link_spec&) const = default;
};

/// Where a device program changes its design. No document has these: each was found by trying, on
/// trainium1, by modelled time or by accuracy (where the comment says so); trainium2 keeps them
/// until it is tried on its own. A line is one transform of a batch; elements and points are of 4
/// bytes a plane.
struct threshold_spec {
  // Rows of DMA, beside dma.good_row_bytes.
  /// Real lines share a partition until its row has so many bytes: dma.bytes_per_ns *
  /// dma.descriptor_ns, below which a descriptor costs more than its bytes.
  std::int64_t full_rate_row_bytes = 1360;
  std::int64_t spread_row_bytes_min = 512;     ///< of bins that are spread over all partitions
  std::int64_t run_elements_min = 16;          ///< of a line cut into runs, one a partition
  std::int64_t streamed_matrix_bytes = 16384;  ///< of a partition, of matrices loaded together

  // Transforms: their stages and sweeps over HBM.
  /// Complex lines of one DFT matrix; longer ones take two stages. By accuracy: sums of 2 n terms
  /// stay within three times the error of the host's transform.
  std::int64_t one_stage_points_max = 48;
  std::int64_t one_product_points_max = 96;     ///< the same of real lines; by accuracy
  std::int64_t one_sweep_points_max = 4096;     ///< two stages of half the array's rows
  std::int64_t stage_matrices_max = 256;        ///< that a stage keeps: two thirds of SBUF
  std::int64_t mixed_lines_min = 16;            ///< of a pass over several axes that splits one
  std::int64_t column_neighbours_min = 64;      ///< columns beside fewer are transposed to rows
  std::int64_t unequal_factors_max = 32;        ///< ratio of the factors of a real four-step
  std::int64_t few_complex_lines_max = 16;      ///< tried as columns of a four-step ...
  std::int64_t few_real_lines_max = 32;         ///< ... and real ones, in two sweeps ...
  std::int64_t few_lines_points_min = 256;      ///< ... where they have so many points
  std::int64_t resident_points_min = 524288;    ///< a line that stays on chip between passes
  std::int64_t convolved_points_max = 65536;    ///< one even real line, by a chirp of all of it
  std::int64_t paired_points_max = 4096;        ///< two-for-one lines that are whole on a partition
  std::int64_t narrow_transpose_side_max = 64;  ///< matrices transposed within partitions ...
  std::int64_t narrow_transpose_elements_max = 8192;  ///< ... and so many elements of each

  // Lines of a dry run that compares designs, where there are more.
  std::int64_t compared_lines_max = 256;       ///< complex lines as rows or as columns
  std::int64_t compared_chirps_max = 32;       ///< Bluestein on chip or in sweeps
  std::int64_t compared_factor_lines_max = 2;  ///< factors of a real four-step

  // Estimates of real lines on chip.
  double short_lines_start_seconds = 6e-6;  ///< first load and last store of a batch
  double long_line_start_seconds = 8e-6;    ///< the chain of stages of one line
  double long_line_seconds_min = 3e-6;      ///< of each line more, however short

  // Butterflies on VectorE: points of a partition in a block.
  std::int64_t butterfly_points_max = 1024;
  std::int64_t compensated_butterfly_points_max = 2048;

  // Matrix products.
  /// Rows of a group in tiles of the array: so many products in fp32 hide a load of B.
  std::int64_t product_group_tiles_max = 4;
  std::int64_t triangular_chunk_columns_min = 64;      ///< of a triangular system's right sides
  std::int64_t contraction_tile_elements_max = 32000;  ///< a tile's row: strides have 16 bits
  /// Operands of a pair may be permuted first if it has so many products, and takes so many times
  /// what its bytes do as they lie.
  std::int64_t permuted_terms_min = 16384;
  double permuted_slowdown_min = 1.5;

  bool operator==(const threshold_spec&) const = default;
};

/// Every number of the emulated machine: no cost, limit or check has one of its own. Defaults are
/// trainium1's.
///
/// Fields end in their unit; `_cycles` are of the engine's own clock. Comments give the source, of
/// the vendor's documents at awsdocs-neuron.readthedocs-hosted.com:
///   A1, A2  the vendor's architecture guides of Trainium1/Inferentia2 and Trainium2;
///   I:x     the instruction x in the vendor's NKI reference, SDK 2.26.1;  L:x in SDK 2.31;
///   D1 D2 D3  DMA bandwidth guide, DMA overview, descriptor generation;  P1 performance guide;
///   H1 H2   hardware pages of trainium and trainium2;  M1 memory hierarchy;  T1 tiling;
///   E1      error reference;  N1 N2 profiler's schema and glossary;  C1 collectives;
///   B1      profile of a trainium1 kernel (trnsci/trnblas, mp2_energy_profile_findings.md);
///   ours    a choice of this library, where no document has a number.
struct machine_spec {
  std::string name = "trainium1";
  std::string core = "NeuronCore-v2";  ///< A1: the vendor's name of the core
  int cores_per_chip = 2;              ///< A1
  double base_clock_hz = 1.4e9;        ///< N1, B1: of cycle counters
  /// From a semaphore's increment to the start of an instruction that waited for it. Documented
  /// nowhere but as a part of dma.start_ns; 0 is ours.
  double semaphore_ns = 0;
  tensor_engine_spec tensor = {};
  vector_engine_spec vector = {};
  scalar_engine_spec scalar = {};
  gpsimd_engine_spec gpsimd = {};
  activation_spec activation = {};
  sequencer_spec sequencer = {};
  sbuf_spec sbuf = {};
  psum_spec psum = {};
  access_spec access = {};
  hbm_spec hbm = {};
  dma_spec dma = {};
  lowering_spec lowering = {};
  link_spec link = {};
  threshold_spec thresholds = {};

  bool operator==(const machine_spec&) const = default;
};

/// NeuronCore-v2 (trn1) and NeuronCore-v3 (trn2).
PAPILIO_API machine_spec trainium1();
PAPILIO_API machine_spec trainium2();

/// invalid_argument with the field's dotted name, what was expected and the value, unless every
/// field is in its range and the fields agree: psum.banks * psum.bank_bytes is
/// psum.bytes_per_partition, ranges are not empty, gpsimd's processors cover the partitions ...
PAPILIO_API void require_valid(const machine_spec& machine);

/// All fields, nested as the structs are; doubles with as many digits as bring back their value.
/// A number that JSON does not have (NaN, infinity) becomes null. Ends in a newline.
PAPILIO_API std::string to_json(const machine_spec& machine);

/// A valid machine from JSON text. Fields that are absent are those of the preset that the member
/// "based_on" names (absent: trainium1). `origin` stands for the text in messages, as a path does.
/// io_error(origin) for text that is not JSON (with the byte), a member that is no field, one given
/// twice, a value of another type, one out of range (as require_valid), and text beyond 1 MiB.
PAPILIO_API machine_spec machine_from_json(std::string_view text, const std::string& origin);

/// The preset of that name, or else the machine in the JSON file of that path. io_error as
/// machine_from_json, and if the file cannot be read.
PAPILIO_API machine_spec load_machine(const std::string& path_or_preset);

/// Writes to_json(machine) as one atomic_file. invalid_argument as require_valid, before anything
/// is written; io_error if the file cannot be.
PAPILIO_API void save_machine(const std::string& path, const machine_spec& machine);

}  // namespace papilio::engine

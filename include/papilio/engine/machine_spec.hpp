#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/source_documents.hpp"

// Numbers of the four compute engines of one core. Members of machine_spec; source_documents says
// what the tags in the comments (A1, I:nc_matmul ...) are. N is elements per partition; "describes"
// marks a number that reports may print and no cost uses. Defaults are trainium1's.

namespace papilio::engine {

/// Describes the systolic array. A product of a stationary [K, M] and a moving [K, N] operand costs
/// max(N, min_initiation_cycles) cycles a pass, behind LoadStationary, of which exposed_load_cycles
/// do not hide behind the multiply before.
struct tensor_engine_spec {
  double clock_hz = 2.8e9;             ///< A1
  int rows = 128;                      ///< A1: contraction (partitions)
  int columns = 128;                   ///< A1: stationary free, output partitions
  int read_elements_per_cycle = 256;   ///< A1: 2 x 128
  int write_elements_per_cycle = 128;  ///< A1; describes
  /// A1; 4 x 128 on trainium2 (A2), 8 x 128 of MXFP8 on trainium3 (A3): over
  /// read_elements_per_cycle the rate of products of packed types to that of bf16.
  int fp8_read_elements_per_cycle = 256;
  int sparse_read_elements_per_cycle = 256;  ///< 5 x 128 from trainium2 on (A2, A3); describes
  int stationary_columns_max = 128;          ///< A1, T1: refused beyond
  int moving_columns_max = 512;              ///< A1, T1: refused beyond
  double min_initiation_cycles = 64;         ///< A1: from one multiply to the next, at least
  double fast_load_cycles_max = 64;  ///< I:nc_matmul: LoadStationary costs min(64, N) a pass
  double load_speedup_max = 4;       ///< A1: LoadStationary against a multiply; describes
  /// Cycles of a LoadStationary of fast_load_cycles_max that do not hide behind the multiply before.
  /// A1 says 0; measured products of trn1 say 64 a pass, in bf16 and fp32, of trn2 at most 50.
  double exposed_load_cycles = 64;
  int fp32_passes = 4;          ///< I:nc_matmul
  int fp32_onezero_passes = 2;  ///< I:nc_matmul: an operand flagged as zeros and ones
  /// I:nc_transpose: a transpose is a product with the identity, so fp32 takes the passes of a
  /// product with an operand of zeros and ones (I:nc_matmul). 1 to 4 are possible: the page's cost,
  /// max(P, min(64, F)), names no type, and a product without the flag takes 4.
  int fp32_transpose_passes = 2;
  int transpose_side_max = 128;      ///< I:nc_transpose: tiles up to 128 x 128, SBUF to PSUM
  bool transpose_mode = false;       ///< A2: NaN-safe transposes that may write 16 bits to PSUM
  double transpose_mode_factor = 2;  ///< A2: of fp32 transposes over an fp32 product, whence 2
                                     ///< passes; describes
  /// A3: transposes that run beside a product or another transpose, whenever the hardware chooses.
  int background_transposes = 0;
  /// A3: products may leave bf16 in PSUM, and add to it in fp32 before they round.
  bool bf16_results = false;
  bool fp8_double_row = false;  ///< A2: fp8 may contract 2 rows in the time of one
  double sparse_factor = 1;     ///< A2: structured sparsity over dense 16-bit peak; describes
  int tile_step = 32;           ///< I:nc_matmul: positions and sizes of array tiles; describes
  /// I:nc_matmul: of a row tile, which takes products of its own; 32-row tiles are trainium2's.
  int min_tile_rows = 64;
  /// After idling for throttle_idle_ns the array starts at throttle_rate of its clock and is at
  /// full speed throttle_ramp_ns later (N2). 0: no throttling.
  double throttle_rate = 0;
  double throttle_idle_ns = 0;
  double throttle_ramp_ns = 0;
  /// Products rounded to fp32 before they are accumulated; otherwise one fma a row. A1 says fp32
  /// accumulation and no more, so fused is ours.
  bool products_rounded = false;

  /// Returns the peak of products that take `passes` passes, in FLOP/s (a multiply-add is two).
  constexpr double peak_flops(double passes = 1) const {
    return 2.0 * rows * columns * clock_hz / passes;
  }
  /// Returns the least cycles of products with so many multiply-adds in all: every pass of at most
  /// moving_columns_max columns follows its load.
  constexpr double least_cycles(double multiply_adds, double passes = 1) const {
    return passes * multiply_adds / rows / columns * (1 + exposed_load_cycles / moving_columns_max);
  }

  bool operator==(const tensor_engine_spec&) const = default;
};

/// Describes what the engines that work partition by partition have in common: an instruction of N
/// elements costs start_cycles + static_cycles + max(min_cycles, N * cycles_per_element) cycles for
/// any number of partitions (A1: fewer than 128 cost the same), unless its own field says
/// otherwise.
struct lane_engine_spec {
  double clock_hz = 1.4e9;
  int lanes = 128;                  ///< A1: elements per cycle in and out
  double cycles_per_element = 1;    ///< A1: an input tile is about N cycles
  double min_cycles = 64;           ///< I:*: max(64, N)
  double static_cycles = 100;       ///< A1, P1: about; profiles have 50 to 130
  double start_cycles = 0;          ///< before the first element
  double dynamic_min_cycles = 600;  ///< I:tensor_copy_dynamic_src, _dst: max(600, N)

  bool operator==(const lane_engine_spec&) const = default;
};

/// Describes VectorE. Fields without a documented maximum with min_cycles have none in the source.
struct vector_engine_spec : lane_engine_spec {
  constexpr vector_engine_spec() : lane_engine_spec{.clock_hz = 1.12e9} {}  // A1

  double elements_per_cycle = 128;        ///< A1; 256 on trainium2 (A2); describes
  double elements_16bit_per_cycle = 128;  ///< A1; 512 on trainium2 (A2); describes
  double peak_fp32_flops = 2.3e12;        ///< H1; describes
  /// I:tensor_tensor: fp32, or both operands in SBUF.
  double tensor_tensor_cycles_per_element = 2;
  /// I:tensor_tensor: one operand in PSUM and one in SBUF; and bf16 add, multiply or subtract with
  /// all in SBUF at unit stride.
  double fast_tensor_tensor_cycles_per_element = 1;
  double tensor_scalar_cycles_per_element = 1;         ///< I:tensor_scalar: one operation or two
  double tensor_copy_cycles_per_element = 1;           ///< I:tensor_copy
  double scalar_tensor_tensor_cycles_per_element = 2;  ///< I:scalar_tensor_tensor
  /// I:scalar_tensor_tensor: bf16, subtract then multiply, N even.
  double fast_scalar_tensor_tensor_cycles_per_element = 1;
  double tensor_tensor_scan_cycles_per_element = 2;  ///< I:tensor_tensor_scan
  /// ours: one input, as tensor_scalar; it scans as tensor_tensor_scan does, which takes 2.
  double cumulative_cycles_per_element = 1;
  double tensor_reduce_cycles_per_element = 1;         ///< I:tensor_reduce
  double fast_tensor_reduce_cycles_per_element = 0.5;  ///< I:tensor_reduce: bf16 add or max
  /// A3: of the exponential less a scalar, a quarter of the scalar engine's. 0: none.
  double exponential_cycles_per_element = 0;
  /// A3: four bf16 or fp16 numbers a partition and cycle become fp8 with scales. 0: none.
  double quantize_cycles_per_element = 0;
  double reduce_accumulator_cycles = 64;  ///< I:tensor_scalar_reduce: max(64, N) + 64
  /// I:tensor_copy_predicated: source and predicate both in SBUF; and split between SBUF and PSUM.
  double copy_predicated_cycles_per_element = 2;
  double split_copy_predicated_cycles_per_element = 1;
  /// Fitted to the vector engine's time in NKIBench's silu and swiglu, 2.4 and 2.9; I:reciprocal
  /// says 8, which silu excludes.
  double reciprocal_cycles_per_element = 2.6;
  double memset_cycles_per_element = 1;          ///< I:memset
  double fast_memset_cycles_per_element = 0.5;   ///< I:memset: zeros in 16 bits
  double range_select_cycles_per_element = 1;    ///< I:range_select
  double select_reduce_cycles_per_element = 2;   ///< ours: two inputs (A1's rule), and a reduction
  double stream_shuffle_cycles_per_element = 1;  ///< I:nc_stream_shuffle
  int shuffle_mask_entries = 32;                 ///< I:nc_stream_shuffle
  int shuffle_keep = 255;                        ///< I:nc_stream_shuffle: partition unchanged
  double bn_stats_cycles_per_element = 1;        ///< I:bn_stats
  int bn_stats_elements_max = 512;               ///< I:bn_stats
  double bn_aggr_cycles_per_element = 13.0 / 3;  ///< I:bn_aggr
  double dropout_cycles_per_element = 1;         ///< I:dropout
  double max8_cycles_per_element = 1;            ///< I:max8
  double find_index8_cycles_per_element = 1;     ///< I:nc_find_index8
  /// I:nc_match_replace8 prints min(64, N); taken as max(64, N), ours.
  double match_replace8_cycles_per_element = 1;
  double transpose_cycles_per_element = 1;  ///< I:nc_transpose
  int transpose_block = 32;                 ///< I:nc_transpose: up to 32 x 32; refused beyond
  /// The hardware's own choice of faster modes (A2): copies and tensor_scalar run fast_copy_factor
  /// times as fast with both tiles in SBUF, 16-bit, unit stride; half_copy_factor times where unit
  /// stride fails or one tile is in PSUM; tensor_tensor runs fast_tensor_tensor_factor times as
  /// fast with both inputs in SBUF and all types 16-bit.
  bool performance_mode = false;
  double fast_copy_factor = 4;
  double half_copy_factor = 2;
  double fast_tensor_tensor_factor = 2;

  bool operator==(const vector_engine_spec&) const = default;
};

/// Describes ScalarE: activations, at lane_engine_spec's cost with scale and bias free
/// (I:activation).
struct scalar_engine_spec : lane_engine_spec {
  double peak_fp32_flops = 2.9e12;        ///< H1; describes
  double read_accumulator_cycles = 64;    ///< I:activation_reduce, A1: the second instruction
  double elements_16bit_per_cycle = 128;  ///< A1; 256 on trainium3 (A3); describes
  /// A3: tensor_copy and tensor_scalar of 16 bits between unit strides. 1: no such mode.
  double fast_copy_factor = 1;
  /// P1: 189 ns from one instruction of an element to the next where that one reads its result.
  double dependent_interval_cycles = 264;

  bool operator==(const scalar_engine_spec&) const = default;
};

/// Describes GpSimdE: eight processors with 16 partitions each.
struct gpsimd_engine_spec : lane_engine_spec {
  constexpr gpsimd_engine_spec() : lane_engine_spec{.static_cycles = 0, .start_cycles = 150} {}

  int processors = 8;                           ///< A1; describes
  int partitions_per_processor = 16;            ///< A1: processor i has 16 i ... 16 i + 15
  int simd_bits = 512;                          ///< A1; describes
  int lanes_32bit = 16;                         ///< A1: of a processor; describes
  int lanes_16bit = 32;                         ///< A1; describes
  int lanes_8bit = 64;                          ///< A1; describes
  int local_memory_bytes = 65536;               ///< A1: of a processor; describes
  double local_memory_cycles = 3;               ///< A1; describes
  double own_dma_bytes_per_ns = 0;              ///< A2: 307 on trainium2, all processors; describes
  double own_dma_one_way_bytes_per_ns = 0;      ///< A2: 153 on trainium2; describes
  double iota_cycles_per_element = 1;           ///< I:iota: 150 + N
  double affine_select_cycles_per_element = 1;  ///< I:affine_select: 150 + N
  /// I:local_gather: 150 + indices * e / C with C = ((a + t e) / (t e)) / min(w / dtype bytes, e),
  /// e elements an index; a, t, w are these three.
  double local_gather_index_cycles = 28;
  double local_gather_element_cycles = 4;
  double local_gather_word_bytes = 4;
  int gather_group_elements = 512;     ///< K:nc_n_gather: indices of an instruction
  double topk_cycles_per_element = 4;  ///< SDK 2.32's stub: 4 n + K a partition
  double topk_cycles_per_result = 1;
  double sequence_bounds_cycles_per_element = 1;  ///< ours: one input, as iota and affine_select
  /// ours: every processor reads its partitions at N, then log2(8) = 3 pairwise exchanges at N.
  double partition_reduce_cycles_per_element = 4;

  bool operator==(const gpsimd_engine_spec&) const = default;
};

/// Bounds the inputs for which the activation functions are valid, bounds included; beyond them the
/// hardware's output is not (table "Supported Activation Functions" of nki.api.shared).
struct activation_spec {
  double sqrt_min = 0x1p-116;
  double sqrt_max = 0x1p118;
  double rsqrt_min = 0x1p-87;
  double rsqrt_max = 0x1p97;
  double reciprocal_min = 0x1p-42;  ///< of the magnitude, as reciprocal_max
  double reciprocal_max = 0x1p42;
  double log_min = 0x1p-64;
  double log_max = 0x1p64;
  double sin_max = 3.14159265358979323846;     ///< of the magnitude
  double arctan_max = 1.57079632679489661923;  ///< of the magnitude

  bool operator==(const activation_spec&) const = default;
};

/// Describes the instruction streams: one per compute engine and one for synchronisation, all in
/// order.
struct sequencer_spec {
  int registers = 64;      ///< L:register_alloc, an engine
  int register_bits = 32;  ///< L:register_alloc; describes
  /// ours: an instruction on registers takes as long as the shortest on data.
  double register_cycles = 64;

  bool operator==(const sequencer_spec&) const = default;
};

}  // namespace papilio::engine

// Numbers of one core's memories and of what moves data between them. Members of machine_spec, as
// above.

namespace papilio::engine {

/// Describes the on-chip memory of operands.
struct sbuf_spec {
  int partitions = 128;                       ///< A1: at most 128 (T1, E1)
  std::int64_t bytes_per_partition = 196608;  ///< A1: 192 KiB
  std::int64_t alignment_bytes = 32;          ///< ours: tiles start at multiples, as nl.buffer does
  /// A1, I:nc_stream_shuffle: tiles of up to 32 partitions start at 0, 32, 64 or 96, of up to 64 at
  /// 0 or 64, larger ones at 0.
  int start_partition_step = 32;
  std::int64_t free_elements_max = 65536;  ///< A1: of an access by VectorE or ScalarE
  bool gpsimd_shares_vector_port = true;   ///< A1: the two are serialised; not on trainium2 (A2)
  double bandwidth_bytes_per_s = 10e12;    ///< M1's figure, approximate; describes

  constexpr std::int64_t bytes() const { return partitions * bytes_per_partition; }
  bool operator==(const sbuf_spec&) const = default;
};

/// Describes the on-chip memory in which the tensor engine accumulates, fp32 in place.
struct psum_spec {
  int partitions = 128;                      ///< A1
  std::int64_t bytes_per_partition = 16384;  ///< A1
  int banks = 8;                             ///< A1
  std::int64_t bank_bytes = 2048;            ///< A1: of a partition; one product's output
  int open_groups_max = 8;                   ///< A1: accumulations under way, one a bank; describes
  std::int64_t free_elements_max = 4096;     ///< A1: of an access by VectorE or ScalarE
  bool scalar_shares_vector_port = true;     ///< A1: the two are serialised
  /// A2: the two are serialised only where they meet in a bank. Read only where
  /// scalar_shares_vector_port is false.
  bool scalar_shares_vector_port_within_bank = false;
  double bandwidth_bytes_per_s = 10e12;  ///< M1's figure, approximate; describes

  constexpr std::int64_t bytes() const { return partitions * bytes_per_partition; }
  bool operator==(const psum_spec&) const = default;
};

/// Describes how engines access SBUF and PSUM.
struct access_spec {
  int port_elements_per_cycle = 128;   ///< A1: of each read or write port; describes
  double port_clock_hz = 1.4e9;        ///< A1; describes
  std::int64_t far_stride_bytes = 16;  ///< A1: an innermost stride above it ...
  double far_stride_factor = 2;        ///< A1: ... takes this many times as long (half rate)
  double access_start_cycles = 60;     ///< A1: hidden behind the instruction before; describes
  int pattern_dims_max = 4;            ///< A1: free dimensions of an access pattern
  int tile_dims_min = 2;               ///< tiles of fewer cannot be asked for; describes
  std::int64_t extent_max = 65535;     ///< A1: uint16
  std::int64_t stride_max = 32767;     ///< A1: int16, in elements
  std::int64_t stride_min = -32768;

  bool operator==(const access_spec&) const = default;
};

/// Describes device memory, and the host's behind it.
struct hbm_spec {
  std::int64_t bytes_per_chip = 34359738368;  ///< A1: 32 GiB; describes
  int stacks_per_chip = 2;                    ///< A1; describes
  /// A1: of a chip. A core's share is the limit of what its transfers read and write in all.
  double bandwidth_bytes_per_s = 820e9;
  double core_bandwidth_bytes_per_s = 0.5e12;  ///< M1's figure, approximate; describes
  std::int64_t bytes_per_core = 16000000000;   ///< trnblas CHANGELOG 0.5.5: seen; describes
  /// trnblas CHANGELOG 0.5.5: the runtime refuses more, about.
  std::int64_t usable_bytes_per_core = 15900000000;
  double good_bandwidth_share = 0.6;         ///< P1: of the peak, "good"; describes
  double host_bandwidth_bytes_per_s = 16e9;  ///< M1's figure; describes
  std::int64_t host_bytes = 1000000000000;   ///< M1's figure; describes

  bool operator==(const hbm_spec&) const = default;
};

/// Describes the DMA engines. A transfer is a list of rows (contiguous runs of bytes), divided
/// among the engines. It takes start_ns, hidden where transfers follow one another, plus the
/// longest engine's sum over its rows of max(row bytes / bytes_per_ns, descriptor_ns;
/// short_descriptor_ns of rows below short_row_bytes).
struct dma_spec {
  int engines = 16;                 ///< A1, D2: of a core
  int engines_per_chip = 32;        ///< A1; describes
  int queues_per_engine = 16;       ///< D2: each in order, served round robin
  int rows_per_engine = 8;          ///< A1, D2: 128 partitions over 16 engines; describes
  double bytes_per_ns = 17;         ///< D1: practical, of an engine (272 a core); 16.4 to 18.4 seen
  double peak_bytes_per_ns = 27.2;  ///< D2; A1 says 27 GiB/s; describes
  double chip_bytes_per_ns = 1000;  ///< H1: of a chip; describes
  double start_ns = 1300;           ///< D1: from the semaphore to the first byte
  /// Fitted to rows of 256 bytes in a ladder of products: 20 to 32. 107 on trainium2 (D2).
  double descriptor_ns = 27;
  /// Rows below short_row_bytes, a burst of HBM, of which a write reads the rest first. 78 is what
  /// the rows of 4 bytes of the published butterflies take.
  double short_descriptor_ns = 80;
  std::int64_t short_row_bytes = 64;  ///< ours: rows of 4 bytes and of 256 are measured
  /// A2, D3: hardware makes the descriptors of a transfer whose address a register holds; describes.
  bool hardware_dge = false;
  double hardware_dge_ns = 600;  ///< A2, D3: about, of SyncE for such an instruction; describes
  int hardware_dge_units = 0;    ///< A2: of a core; driven by SyncE or ScalarE; describes
  /// ours: GpSimdE writes a 64-byte descriptor, 4 bytes a cycle (D3 says only that it costs).
  double software_dge_cycles_per_descriptor = 16;
  /// ours: a row found by an index costs as a short one.
  double indirect_descriptor_ns = 80;
  int semaphore_increment = 16;              ///< D2: at completion of any transfer; describes
  int semaphore_write_bytes = 4;             ///< D2: a write on every engine; describes
  std::int64_t poor_row_bytes = 256;         ///< D1, D2: below it very poor; describes
  std::int64_t good_row_bytes = 2048;        ///< D1, D2: recommended; describes
  std::int64_t saturating_row_bytes = 4096;  ///< D1, D2; describes
  std::int64_t good_transfer_bytes = 32768;  ///< P1, N2; describes
  double good_utilization = 0.7;             ///< P1: shown as good; describes
  bool casts = true;                         ///< D2: through fp32, free
  /// Share of the copy rate at which a transfer transposes (A2, D3: up to). 0: it does not, and is
  /// lowered as lowering_spec says (P1: "much lower", advice load and transpose).
  double transpose_rate_hbm = 0;           ///< HBM to SBUF
  double transpose_rate_sbuf = 0;          ///< SBUF to SBUF
  double compute_rate = 0.5;               ///< A3: share of the copy rate at which they add
  int transpose_partition_multiple = 128;  ///< A2, D3: best if the partitions are; describes
  int transpose_free_multiple = 16;        ///< A2, D3: and the inner free extent is; describes
  int hardware_transpose_rows = 16;        ///< D3: shape[0] of the hardware DGE's form; describes
  int hardware_transpose_columns = 128;    ///< D3: divides the last extent of that form; describes
  int hardware_transpose_bytes = 2;        ///< D3: element size of that form; describes
  int load_transpose_side_max = 128;       ///< trnfft CHANGELOG 0.15: both sides of a 2-D load

  /// Returns bytes per ns of a core, all engines.
  constexpr double core_bytes_per_ns() const { return engines * bytes_per_ns; }
  bool operator==(const dma_spec&) const = default;
};

/// Describes the compiler's substitutes for requests that the hardware has no instruction for.
struct lowering_spec {
  /// A transposing load where dma.transpose_rate_hbm is 0: loads of rows, then transposes on
  /// VectorE of this many rows each. Inferred from the instruction counts of profile B1; ours.
  int transpose_block_rows = 32;
  /// ... and so many columns: VectorE takes the blocks of a strip in one instruction, whose cost is
  /// theirs. Profile B1 has strips of 112 columns; 128 is ours.
  int transpose_strip_columns = 128;
  /// A load of at most this many bytes a partition into a tile that VectorE reads as a scalar
  /// operand starts only when every VectorE instruction issued before it has ended. Inferred from
  /// the idle time of profile B1; ours.
  int scalar_reload_gate_bytes = 4;
  /// Most products of an unrolled program known to have run: 8192^3 by the vendor's kernel
  /// (awslabs/nki-autotune, issue 25). Profiles report programs that have more; none is refused.
  int unrolled_tiles_max = 65536;

  bool operator==(const lowering_spec&) const = default;
};

/// Describes links between cores, chips and nodes. A message costs hops * hop time + bytes / rate
/// (C1).
struct link_spec {
  int collective_cores = 6;        ///< H1: of a chip; describes
  int chips_per_node = 16;         ///< ours: trn1.32xlarge and trn2.48xlarge have 16
  double core_hop_ns = 1000;       ///< C1: 1 to 2 us a hop; its lower end within a chip is ours
  double chip_hop_ns = 2000;       ///< C1: 1 to 2 us a hop; its upper end between chips is ours
  double node_hop_ns = 15000;      ///< C1: about
  double core_bytes_per_ns = 272;  ///< ours: what the DMA engines of a core move
  /// ours: trainium2's 1280 (H2) by the ratio of the chips' DMA totals, 1 to 3.5 TB/s.
  double chip_bytes_per_ns = 366;
  bool switched = false;           ///< any two chips of a node are one hop apart (H3)
  double node_bytes_per_ns = 100;  ///< ours: a node's network as sold, 800 Gbit/s

  bool operator==(const link_spec&) const = default;
};

/// Holds the sizes at which a device program changes its design. No document has these: each was
/// found by trying, on trainium1, by modelled time or by accuracy (where the comment says so);
/// later machines keep them until they are tried separately. A line is one transform of a batch; elements
/// and points are of 4 bytes per plane.
struct threshold_spec {
  // Rows of DMA, beside dma.good_row_bytes.
  /// Real lines share a partition until its row has so many bytes: the vendor's rate times 80 ns,
  /// below which a descriptor may cost more than its bytes.
  std::int64_t full_rate_row_bytes = 1360;
  std::int64_t spread_row_bytes_min = 512;  ///< of bins spread over all partitions
  std::int64_t run_elements_min = 16;       ///< of a line cut into runs, one per partition

  // Transforms: their stages and sweeps over HBM.
  /// Complex lines of one DFT matrix; longer ones take two stages. By accuracy: sums of 2 n terms
  /// stay within three times the error of the host's transform.
  std::int64_t one_stage_points_max = 48;
  std::int64_t one_sweep_points_max = 4096;     ///< two stages of half the array's rows
  std::int64_t mixed_lines_min = 16;            ///< of a pass over several axes that splits one
  std::int64_t column_neighbours_min = 64;      ///< columns beside fewer are transposed to rows
  std::int64_t own_digits_lines_max = 64;       ///< each as the array's columns, ...
  std::int64_t few_lines_points_min = 256;      ///< ... where they have so many points
  std::int64_t convolved_points_max = 65536;    ///< one even real line, by a chirp of all of it
  std::int64_t narrow_transpose_side_max = 64;  ///< matrices transposed within partitions ...
  std::int64_t narrow_transpose_elements_max = 8192;  ///< ... and so many elements of each

  // Lines of a dry run that compares designs, where there are more.
  std::int64_t compared_lines_max = 256;       ///< complex lines as rows or as columns
  std::int64_t compared_chirps_max = 256;      ///< Bluestein on chip or in sweeps
  std::int64_t compared_factor_lines_max = 2;  ///< factors of a real four-step

  // Estimates of real lines on chip.
  double long_line_start_seconds = 8e-6;  ///< the chain of stages of one line
  double long_line_seconds_min = 3e-6;    ///< of each further line, however short

  // Butterflies on VectorE: points of a partition in a block.
  std::int64_t butterfly_points_max = 1024;
  std::int64_t compensated_butterfly_points_max = 2048;

  // Short-time transforms.
  std::int64_t stft_row_segments_max = 8;  ///< of a lane: by then few samples are loaded twice
  /// Segments on each lane from which on VectorE takes over transposes: of fewer the chain's length
  /// counts, and a transpose by itself is faster in the array.
  std::int64_t shared_transpose_segments_min = 8;
  /// Elements of a partition at a time, where an index of the largest is sought or zeros are
  /// written: twice dma.saturating_row_bytes.
  std::int64_t vector_run_elements_max = 2048;

  // Matrix products.
  /// Rows past which B streams in tiles of the array: so many products in fp32 hide its load.
  std::int64_t product_group_tiles_max = 4;
  std::int64_t triangular_chunk_columns_min = 64;      ///< of a triangular system's right sides
  std::int64_t contraction_tile_elements_max = 32000;  ///< a tile's row: strides have 16 bits
  /// Operands of a pair may be permuted first if it has so many products and, unpermuted, takes so
  /// many times the time of its bytes.
  std::int64_t permuted_terms_min = 16384;
  double permuted_slowdown_min = 1.5;
  /// Steps of a contraction that take longer make more than SBUF holds: results do not stay there.
  double chained_seconds_max = 1e-3;

  bool operator==(const threshold_spec&) const = default;
};

/// Selects what a constant's value is from.
enum class value_origin : std::uint8_t {
  document,   ///< a document of the vendor
  measured,   ///< a single step, measured and published by others
  fitted,     ///< fitted to published measurements, or derived from them
  ours,       ///< a choice of this library, where none of these has a number
  inherited,  ///< the machine's before: no page of this machine has a number
  given,      ///< no preset has this value
};
/// Returns "document", "measured", "fitted", "ours", "inherited" or "given".
PAPILIO_API const char* to_string(value_origin origin);

/// Describes one constant of a machine or a runtime.
struct sourced_value {
  std::string field;  ///< dotted: "dma.descriptor_ns"
  std::string value;
  value_origin origin = value_origin::ours;
  std::string source;  ///< tags of documents, what it was fitted to, or why
};

/// Holds every number of the emulated machine, which no cost, limit or check duplicates. Defaults
/// are trainium1's.
///
/// Fields end in their unit; `_cycles` are of the engine's own clock. Comments give the source by
/// the tags of source_documents, "ours" a choice of this library where no document has a number;
/// sources() returns them all.
struct machine_spec {
  std::string name = "trainium1";
  std::string core = "NeuronCore-v2";  ///< A1: the vendor's name; isa_rules() go by its generation
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

  /// Returns a core's share of HBM's bandwidth, reads and writes together.
  constexpr double hbm_bytes_per_ns() const {
    return hbm.bandwidth_bytes_per_s / cores_per_chip * 1e-9;
  }
  /// Returns the most that the DMA engines of a core move to and from HBM.
  constexpr double hbm_dma_bytes_per_ns() const {
    return std::min(dma.core_bytes_per_ns(), hbm_bytes_per_ns());
  }
  bool operator==(const machine_spec&) const = default;
};

/// Return NeuronCore-v2 (trn1), NeuronCore-v3 (trn2) and NeuronCore-v4 (trn3). Documents of
/// trainium3 give sizes, clocks and rates but no cycles of instructions: these are trainium2's, and
/// sources() says so of each. No measurement of it is published.
PAPILIO_API machine_spec trainium1();
PAPILIO_API machine_spec trainium2();
PAPILIO_API machine_spec trainium3();

/// Names a preset, in full and in short.
struct machine_preset {
  const char *name, *short_name;
};
/// Lists the presets that load_machine takes, oldest first.
inline constexpr machine_preset machine_presets[] = {
    {"trainium1", "trn1"}, {"trainium2", "trn2"}, {"trainium3", "trn3"}};

/// Returns every number and flag of the machine in the order of its members, each with its source:
/// that of the preset that has this value, the preset of the machine's own name first. Thresholds,
/// which are in no cost, are left out.
PAPILIO_API std::vector<sourced_value> sources(const machine_spec& machine);

/// Describes a field that documents and measurements leave open: the machine with the value of
/// `field` that makes its runs shortest, and the one that makes them longest.
struct uncertain_field {
  std::string field;      ///< dotted: "dma.descriptor_ns"
  std::string low, high;  ///< its values of the shortest runs and of the longest
  std::string why;        ///< where they are from
  machine_spec fast, slow;
};

/// Returns the fields whose values are not printed in a document of the vendor, can be read in two
/// ways, or are contradicted by a published measurement, which `why` names; a range without a value
/// of the machine is widened to it.
/// docs/cost_model.md has the bounds of the presets.
PAPILIO_API std::vector<uncertain_field> uncertain_fields(const machine_spec& machine);
/// Return the machine with all of these fields at their fast values, or at their slow ones.
PAPILIO_API machine_spec fastest(const machine_spec& machine);
PAPILIO_API machine_spec slowest(const machine_spec& machine);

/// Checks that every field is in its range and the fields agree: psum.banks * psum.bank_bytes is
/// psum.bytes_per_partition, ranges are not empty, gpsimd's processors cover the partitions ...
/// Throws invalid_argument with the field's dotted name, what was expected and the value.
PAPILIO_API void require_valid(const machine_spec& machine);

/// Returns all fields, nested as the structs are; doubles with as many digits as restore their
/// value. A number that JSON lacks (NaN, infinity) becomes null. Ends in a newline.
PAPILIO_API std::string to_json(const machine_spec& machine);

/// Reads a valid machine from JSON text. Absent fields are those of the preset that the member
/// "based_on" names (absent: trainium1). `origin` names the text in messages, as a path does.
/// Throws io_error(origin) for text that is not JSON (with the byte), a member that is no field or
/// comes twice, a value of another type or out of range (as require_valid), and text beyond 1 MiB.
PAPILIO_API machine_spec machine_from_json(std::string_view text, const std::string& origin);

/// Returns the preset of that name, of machine_presets, or else the machine in the JSON file of that
/// path. Throws io_error as machine_from_json, and if the file cannot be read.
PAPILIO_API machine_spec load_machine(const std::string& path_or_preset);

/// Writes to_json(machine) as one atomic_file. Throws invalid_argument as require_valid, before
/// anything is written; io_error if the file cannot be written.
PAPILIO_API void save_machine(const std::string& path, const machine_spec& machine);

}  // namespace papilio::engine

#pragma once

// Numbers of the four compute engines of one core. Members of machine_spec, which says what the
// tags in the comments (A1, I:nc_matmul, "ours" ...) are. N is elements per partition; "describes"
// marks a number that reports may print and no cost uses. Defaults are trainium1's.

namespace papilio::engine {

/// The systolic array. A product of a stationary [K, M] and a moving [K, N] operand costs
/// max(fast load, N, min_initiation_cycles) cycles a pass.
struct tensor_engine_spec {
  double clock_hz = 2.8e9;                   ///< A1
  int rows = 128;                            ///< A1: contraction (partitions)
  int columns = 128;                         ///< A1: stationary free, output partitions
  int read_elements_per_cycle = 256;         ///< A1: 2 x 128; describes
  int write_elements_per_cycle = 128;        ///< A1; describes
  int fp8_read_elements_per_cycle = 256;     ///< A1; 4 x 128 on trainium2 (A2); describes
  int sparse_read_elements_per_cycle = 256;  ///< 5 x 128 on trainium2 (A2); describes
  int stationary_columns_max = 128;          ///< A1, T1: refused beyond
  int moving_columns_max = 512;              ///< A1, T1: refused beyond
  double min_initiation_cycles = 64;         ///< A1: from one multiply to the next, at least
  double fast_load_cycles_max = 64;  ///< I:nc_matmul: LoadStationary costs min(64, N) a pass
  double load_speedup_max = 4;       ///< A1: LoadStationary against a multiply; describes
  int fp32_passes = 4;               ///< I:nc_matmul
  int fp32_onezero_passes = 2;       ///< I:nc_matmul: an operand flagged as zeros and ones
  /// I:nc_transpose prices every dtype alike, max(P, min(64, F)). 4 would take a transposed fp32
  /// tile for an fp32 product.
  int fp32_transpose_passes = 1;
  int transpose_side_max = 128;      ///< I:nc_transpose: tiles up to 128 x 128, SBUF to PSUM
  bool transpose_mode = false;       ///< A2: NaN-safe transposes that may write 16 bits to PSUM
  double transpose_mode_factor = 2;  ///< A2: of fp32 transposes over an fp32 product; describes
  bool fp8_double_row = false;       ///< A2: fp8 contracts 2 rows in the time of one
  double sparse_factor = 1;          ///< A2: structured sparsity over dense 16-bit peak; describes
  int tile_step = 32;                ///< I:nc_matmul: positions and sizes of array tiles; describes
  int min_tile_rows = 64;            ///< I:nc_matmul: 32-row tiles are trainium2's; describes
  /// After idling for throttle_idle_ns the array starts at throttle_rate of its clock and is at
  /// full speed throttle_ramp_ns later (N2). 0: no throttling.
  double throttle_rate = 0;
  double throttle_idle_ns = 0;
  double throttle_ramp_ns = 0;
  /// Products rounded to fp32 before they are accumulated; otherwise one fma a row. A1 says fp32
  /// accumulation and no more, so fused is ours.
  bool products_rounded = false;

  /// Peak of products that take `passes` passes, in FLOP/s (a multiply-add is two).
  constexpr double peak_flops(double passes = 1) const {
    return 2.0 * rows * columns * clock_hz / passes;
  }

  bool operator==(const tensor_engine_spec&) const = default;
};

/// What the engines that work partition by partition have in common: an instruction of N elements
/// costs start_cycles + static_cycles + max(min_cycles, N * cycles_per_element) cycles, whatever
/// the number of partitions (A1: fewer than 128 cost the same), unless its own row says otherwise.
struct lane_engine_spec {
  double clock_hz = 1.4e9;
  int lanes = 128;                  ///< A1: elements per cycle in and out
  double cycles_per_element = 1;    ///< A1: an input tile is about N cycles
  double min_cycles = 64;           ///< I:*: max(64, N)
  double static_cycles = 130;       ///< fitted to B1; A1 and P1 say about 100
  double start_cycles = 0;          ///< before the first element
  double dynamic_min_cycles = 600;  ///< I:tensor_copy_dynamic_src, _dst: max(600, N)

  bool operator==(const lane_engine_spec&) const = default;
};

/// VectorE. Rows without a documented maximum with min_cycles have none in the source.
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
  double tensor_tensor_scan_cycles_per_element = 2;    ///< I:tensor_tensor_scan
  double tensor_reduce_cycles_per_element = 1;         ///< I:tensor_reduce
  double fast_tensor_reduce_cycles_per_element = 0.5;  ///< I:tensor_reduce: bf16 add or max
  double reduce_accumulator_cycles = 64;               ///< I:tensor_scalar_reduce: max(64, N) + 64
  /// I:tensor_copy_predicated: source and predicate both in SBUF; and split between SBUF and PSUM.
  double copy_predicated_cycles_per_element = 2;
  double split_copy_predicated_cycles_per_element = 1;
  double reciprocal_cycles_per_element = 8;      ///< I:reciprocal
  double memset_cycles_per_element = 1;          ///< I:memset
  double fast_memset_cycles_per_element = 0.5;   ///< I:memset: zeros in 16 bits
  double range_select_cycles_per_element = 1;    ///< I:range_select
  double select_reduce_cycles_per_element = 2;   ///< ours: two inputs (A1's rule), and a reduction
  double stream_shuffle_cycles_per_element = 1;  ///< I:nc_stream_shuffle
  int shuffle_mask_entries = 32;                 ///< I:nc_stream_shuffle
  int shuffle_keep = 255;                        ///< I:nc_stream_shuffle: entry that leaves a lane
  double bn_stats_cycles_per_element = 1;        ///< I:bn_stats
  int bn_stats_elements_max = 512;               ///< I:bn_stats
  double bn_aggr_cycles_per_element = 13.0 / 3;  ///< I:bn_aggr
  double dropout_cycles_per_element = 1;         ///< I:dropout
  double max8_cycles_per_element = 1;            ///< I:max8
  double find_index8_cycles_per_element = 1;     ///< I:nc_find_index8
  /// I:nc_match_replace8 prints min(64, N); taken as max(64, N), ours.
  double match_replace8_cycles_per_element = 1;
  double transpose_cycles_per_element = 1;  ///< I:nc_transpose
  int transpose_block = 32;                 ///< I:nc_transpose: blocks of 32 x 32
  /// The hardware's own choice of faster modes (A2): copies and tensor_scalar run fast_copy_factor
  /// times as fast with both tiles in SBUF, 16-bit, unit stride; half_copy_factor times where unit
  /// stride fails or one side is in PSUM; tensor_tensor runs fast_tensor_tensor_factor times as
  /// fast with both inputs in SBUF and all types 16-bit.
  bool performance_mode = false;
  double fast_copy_factor = 4;
  double half_copy_factor = 2;
  double fast_tensor_tensor_factor = 2;

  bool operator==(const vector_engine_spec&) const = default;
};

/// ScalarE: activations, at lane_engine_spec's cost with scale and bias free (I:activation).
struct scalar_engine_spec : lane_engine_spec {
  double peak_fp32_flops = 2.9e12;         ///< H1; describes
  double read_accumulator_cycles = 64;     ///< I:activation_reduce, A1: the second instruction
  double dependent_interval_cycles = 264;  ///< P1: 189 ns, one element, each on the last; describes

  bool operator==(const scalar_engine_spec&) const = default;
};

/// GpSimdE: eight processors, each with 16 partitions of its own.
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
  double topk_cycles_per_element = 4;  ///< SDK 2.32's stub: 4 n + K a partition
  double topk_cycles_per_result = 1;
  double sequence_bounds_cycles_per_element = 1;  ///< ours: one input, as iota and affine_select
  /// ours: every processor reads its partitions at N, then log2(8) = 3 pairwise exchanges at N.
  double partition_reduce_cycles_per_element = 4;

  bool operator==(const gpsimd_engine_spec&) const = default;
};

/// Inputs for which the activation functions are valid; outside them the hardware's output is not
/// (table "Supported Activation Functions" of nki.api.shared). Bounds belong to the range.
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

/// Instruction streams: one a compute engine and one for synchronisation, all in order.
struct sequencer_spec {
  int registers = 64;      ///< L:register_alloc, an engine
  int register_bits = 32;  ///< L:register_alloc; describes
  /// ours: an instruction on registers takes as long as the shortest on data.
  double register_cycles = 64;

  bool operator==(const sequencer_spec&) const = default;
};

}  // namespace papilio::engine

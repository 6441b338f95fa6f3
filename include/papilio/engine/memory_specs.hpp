#pragma once

#include <cstdint>

// Numbers of one core's memories and of what moves data between them. Members of machine_spec,
// which says what the tags in the comments are. "describes" marks a number that reports may print
// and no cost uses. Defaults are trainium1's.

namespace papilio::engine {

/// The on-chip memory of operands.
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

/// The on-chip memory that the tensor engine accumulates in, fp32 in place.
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

/// How engines reach SBUF and PSUM.
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

/// Device memory, and the host's behind it.
struct hbm_spec {
  std::int64_t bytes_per_chip = 34359738368;   ///< A1: 32 GiB; describes
  int stacks_per_chip = 2;                     ///< A1; describes
  double bandwidth_bytes_per_s = 820e9;        ///< A1: of a chip
  double core_bandwidth_bytes_per_s = 0.5e12;  ///< M1's figure, approximate; describes
  std::int64_t bytes_per_core = 16000000000;   ///< trnblas CHANGELOG 0.5.5: seen; describes
  /// trnblas CHANGELOG 0.5.5: the runtime refuses more, about.
  std::int64_t usable_bytes_per_core = 15900000000;
  double good_bandwidth_share = 0.6;         ///< P1: of the peak, "good"; describes
  double host_bandwidth_bytes_per_s = 16e9;  ///< M1's figure; describes
  std::int64_t host_bytes = 1000000000000;   ///< M1's figure; describes

  bool operator==(const hbm_spec&) const = default;
};

/// Data movers. A transfer is a list of rows (contiguous runs of bytes), dealt over the engines:
/// start_ns, hidden where transfers follow one another, plus the longest engine's sum over its
/// rows of max(row bytes / bytes_per_ns, descriptor_ns).
struct dma_spec {
  int engines = 16;                 ///< A1, D2: of a core
  int engines_per_chip = 32;        ///< A1; describes
  int queues_per_engine = 16;       ///< D2: each in order, served round robin
  int rows_per_engine = 8;          ///< A1, D2: 128 partitions over 16 engines; describes
  double bytes_per_ns = 17;         ///< D1: practical, of an engine (272 a core)
  double peak_bytes_per_ns = 27.2;  ///< D2; A1 says 27 GiB/s; describes
  double chip_bytes_per_ns = 1000;  ///< H1: of a chip; describes
  double start_ns = 1300;           ///< D1: from the semaphore to the first byte
  /// Derived: 78 from the published butterfly's rows of 4 bytes, 107 from D2's figure at the rate
  /// of trainium2.
  double descriptor_ns = 80;
  bool hardware_dge = false;     ///< A2, D3: descriptors made by hardware; describes
  double hardware_dge_ns = 600;  ///< A2, D3: about, an instruction; describes
  int hardware_dge_units = 0;    ///< A2: of a core; driven by SyncE or ScalarE; describes
  /// ours: GpSimdE writes a 64-byte descriptor, 4 bytes a cycle (D3 says only that it costs).
  double software_dge_cycles_per_descriptor = 16;
  /// ours: a row found by an index is a descriptor of its own and costs as one.
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
  int transpose_partition_multiple = 128;  ///< A2, D3: best if the partitions are; describes
  int transpose_free_multiple = 16;        ///< A2, D3: and the inner free extent is; describes
  int hardware_transpose_rows = 16;        ///< D3: shape[0] of the hardware DGE's form; describes
  int hardware_transpose_columns = 128;    ///< D3: divides the last extent of that form; describes
  int hardware_transpose_bytes = 2;        ///< D3: element size of that form; describes
  int load_transpose_side_max = 128;       ///< trnfft CHANGELOG 0.15: both sides of a 2-D load

  /// Of a core, all engines.
  constexpr double core_bytes_per_ns() const { return engines * bytes_per_ns; }
  bool operator==(const dma_spec&) const = default;
};

}  // namespace papilio::engine

#pragma once

#include <filesystem>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio {

/// Level of the host's memory. Bytes count as read or as written, in 1 per second.
struct host_level {
  /// Capacity of one core (L1, L2), or of all cores together (L3, memory). Features: as the system
  /// reports it.
  double capacity_bytes = 0;
  /// Rate of copying by one core, and by all at once. Default: bytes for each cycle.
  double core_bytes_per_second = 0;
  double machine_bytes_per_second = 0;
  /// Rate of transforms, by one core, of lines that this level is the first to hold, in the
  /// operations that their recipes count. Default: a share of the peak.
  double float_fft_flops_per_second = 0;
  double double_fft_flops_per_second = 0;

  bool operator==(const host_level&) const = default;
};

/// Roofline model of this computer, of one core and of all. Sources of the numbers:
///   features  what the processor and the system report
///   default   round figures of server processors of 2020 to 2024, which a feature may scale
/// Nothing is measured; a program, or a file (load_host), may set what it knows better.
struct host_model {
  std::string processor = "unknown processor";  ///< features: its name
  std::string instruction_set = "unknown";      ///< features: vendor, family, model, vectors in use
  std::string source = "CPU features";          ///< where the rates are from, in estimates' words
  int cores = 1;                                ///< features: that the process may use
  double clock_hz = 0;      ///< features: highest or nominal; default 2.5e9 where not known
  double vector_bytes = 0;  ///< features: of one register that this build uses
  /// Rate of fused multiply-adds of one core, two operations each. Features: two units, each a
  /// vector every cycle.
  double float_peak_flops_per_second = 0;
  double double_peak_flops_per_second = 0;
  double extended_flops_per_second = 0;  ///< long double, any work; default
  double gemm_peak_share = 0;            ///< of the peak, in products; default
  double elementwise_peak_share = 0;     ///< of the peak, in sums and products; default
  /// Share of the copying rate that elementwise work, and copies that change the order of elements,
  /// reach. Default.
  double elementwise_bandwidth_share = 0;
  double rearrangement_bandwidth_share = 0;
  double call_seconds = 0;          ///< of one call of a built operation; default
  double line_seconds = 0;          ///< of each line of a batch; default
  double thread_start_seconds = 0;  ///< of a call on more than one thread; default
  host_level l1, l2, l3, memory;    ///< the capacity of memory is not used

  bool operator==(const host_model&) const = default;
};

/// Returns the source of estimates: "from CPU features" or "from server.json".
PAPILIO_API std::string to_string(const host_model& host);

/// Returns this computer's model by its features alone; nothing is timed.
PAPILIO_API host_model host_from_features();

/// Kind of host work. fft: transforms along lines; gemm: products of matrices; elementwise: sums
/// and products of elements in order; rearrangement: copies that change the order of elements.
enum class host_work_kind { fft, gemm, elementwise, rearrangement };

/// Work of an operation on the host.
struct host_work {
  host_work_kind kind = host_work_kind::elementwise;
  double flops = 0;          ///< additions and multiplications of reals
  double bytes_moved = 0;    ///< operands read and results written, once each
  double working_bytes = 0;  ///< all operands and results: the level that holds them sets the rate
  double line_bytes = 0;     ///< fft: one line with its result, scratch and tables
  double lines = 1;          ///< fft: lines, each on one thread
  double calls = 1;          ///< calls, each of which costs call_seconds

  bool operator==(const host_work&) const = default;
};

/// Returns the work of `batch` products of [m, k] and [k, n]: 2 m n k operations each, complex 8 m
/// n k. Throws, as the two below, invalid_argument naming the first size that is not above 0.
PAPILIO_API host_work gemm_work(double m, double k, double n, double batch, bool is_complex,
                                real_type type);

/// Returns the work of a complex mask times a complex spectrum: 6 operations a point.
PAPILIO_API host_work complex_mask_work(double points, real_type type);

/// Returns the work of copying elements of `element_bytes`; `is_rearranged`: in another order.
PAPILIO_API host_work copy_work(double elements, double element_bytes, bool is_rearranged);

/// Returns the seconds of work on `threads` threads (0: one for each core; more than the cores do
/// not help): the larger of
///   flops / (rate of the kind * cores used) and bytes_moved / bandwidth,
/// plus calls * call_seconds, lines * line_seconds / cores used, and thread_start_seconds if more
/// than one is used. Bandwidth is that of the first level that holds working_bytes, times the cores
/// used but at most the machine's.
PAPILIO_API double modelled_seconds(const host_model& host, real_type type, const host_work& work,
                                    int threads = 1);

/// Returns the model that estimates of the host use: that of use_host(), else host_from_features().
/// Nothing that runs under policy::host calls it.
PAPILIO_API host_model current_host();

/// Sets the model of later estimates. Throws invalid_argument naming a field out of its bounds.
PAPILIO_API void use_host(const host_model& host);

/// Reads a host's rates from a JSON object, whose members are the fields above from `cores` on but
/// clock_hz and vector_bytes, from which the features' rates follow. Members that are absent are as
/// host_from_features() has them:
///   {"cores": 8, "gemm_peak_share": 0.9, "memory": {"machine_bytes_per_second": 4e10}}
/// Throws io_error with the path and the field if a field is unknown, given twice, not of its type or
/// out of its bounds.
PAPILIO_API host_model load_host(const std::filesystem::path& path);

}  // namespace papilio

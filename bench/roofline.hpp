#pragma once

#include <filesystem>
#include <string>

#include "cases.hpp"

namespace papilio::bench {

/// What one core of this machine does at best, as measured.
struct roofline {
  std::string processor;    ///< its name and the caches; a cached file must agree
  double float_gflops = 0;  ///< fused multiply-adds, two operations each
  double double_gflops = 0;
  double l1_gbytes = 0, l2_gbytes = 0;  ///< copying, bytes read and written, in 1e9 per second
  double l3_gbytes = 0, memory_gbytes = 0;
  double l1_bytes = 0, l2_bytes = 0;  ///< capacity, as the system says
  double l3_bytes = 0;                ///< capacity in effect: where copying falls to the
                                      ///< geometric mean of the L3 and the memory figure
};

/// Reads `file` if it is of this processor, else measures (some seconds) and writes it.
roofline load_roofline(const std::filesystem::path& file, bool measure_again);

/// Least seconds that the machine's limits allow a case: the largest of the time for 4 n log2 n
/// operations (half for real), for the L1 traffic of log2(n)/4 radix-16 passes, and for the traffic
/// of each level beyond: one pass over input and output if a transform fits the level above it, two
/// if not (four-step); stores to memory first read what they overwrite.
double least_seconds(const roofline& r, const bench_case& c);

/// Two lines that say what was measured.
std::string to_string(const roofline& r);

}  // namespace papilio::bench

#pragma once

#include <string>

#include "cases.hpp"
#include "papilio/dispatch/host_model.hpp"

namespace papilio::bench {

/// Least seconds that the machine's limits allow a case: the largest of the time for 4 n log2 n
/// operations (half for real), for the L1 traffic of log2(n)/4 radix-16 passes, and for the traffic
/// of each level beyond: one pass over input and output if a transform fits the level above it, two
/// if not (four-step); stores to memory first read what they overwrite.
double least_seconds(const host_model& host, const bench_case& c);

/// Two lines that say what the limits are, of one core.
std::string roofline_text(const host_model& host);

}  // namespace papilio::bench

#pragma once

#include <string>

#include "cli/plan_operation.hpp"
#include "cli/report.hpp"

namespace papilio::cli {

/// How an array would be transformed on many machines.
struct rank_flags {
  int ranks = 0;        ///< 0: not asked
  std::string network;  ///< file of its rates; empty: the defaults
  bool natural = false;
};

/// Reports the best grid on so many ranks, its steps, predicted seconds and memory. usage_error unless
/// the operation is an fftn, rfftn, fft2 or rfft2 of one array, in float or double.
report ranks_report(const planned_operation& planned, const rank_flags& flags);

}  // namespace papilio::cli

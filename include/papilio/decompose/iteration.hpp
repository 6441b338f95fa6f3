#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace papilio {

/// What an iteration tells after each sweep over all modes.
struct decomposition_progress {
  std::size_t iteration = 0;  ///< sweeps done, from 1
  double relative_error = 0;  ///< of what there is now
};

/// Is called after each sweep; false ends the iteration with what there is. It may throw.
using progress_callback = std::function<bool(const decomposition_progress&)>;

/// How an iteration went.
struct iteration_record {
  std::size_t iterations = 0;   ///< sweeps done
  std::vector<double> history;  ///< relative error after each
  bool converged = false;       ///< the error changed by less than the tolerance, or is 0
  bool stopped = false;         ///< the callback ended it
};

}  // namespace papilio

#pragma once

#include "cli/published_residuals.hpp"

namespace papilio::cli::published_verb {

/// The operation of a row on this host, in fp32, on one thread: the CPU time of the shortest of at
/// least three runs, about a tenth of a second's worth. A time for each of the library's backends
/// that can; none where there is no such operation.
host_times timed_on_host(const kernels::published::table_row& row);

}  // namespace papilio::cli::published_verb

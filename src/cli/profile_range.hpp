#pragma once

#include "cli/json_value.hpp"
#include "cli/report.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::cli {

/// The modelled time where documents leave the machine open, and which field opens it how far:
/// lines for people, and the same for programs.
void add_range(report& made, const kernels::time_range& range);
json_value range_json(const kernels::time_range& range);

}  // namespace papilio::cli

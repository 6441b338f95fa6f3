#pragma once

#include <optional>

#include "cli/plan_expression.hpp"

namespace papilio::cli {

/// Shortest of the wall times of several runs over all lines, or arrays, on zeros; about a tenth of
/// a second's worth. None where the operands would take more than 1 GiB.
std::optional<double> measured_seconds(const fft_executor& executor, const planned_transform& t,
                                       int threads);

}  // namespace papilio::cli

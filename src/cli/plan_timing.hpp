#pragma once

#include <functional>
#include <optional>

#include "cli/plan_expression.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {

/// Whether the operands take at most 1 GiB.
bool is_measurable(const planned_transform& t);

/// Shortest of the times of at least three runs, about a tenth of a second's worth: where `alone`,
/// that is where all of them is done by this thread, its CPU time, else the wall's.
double shortest_seconds(const std::function<void()>& run, bool alone);

/// Of a loop of `seconds` on each of so many cores at once: the share of the time that its threads
/// waited for one.
double waited_share(int cores, double seconds);

/// shortest_seconds() of runs over all lines, or arrays, on zeros, alone on one thread. None unless
/// is_measurable(t).
std::optional<double> measured_seconds(const fft_executor& executor, const planned_transform& t,
                                       int threads);

}  // namespace papilio::cli

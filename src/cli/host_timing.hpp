#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "papilio/transform/candidate.hpp"

namespace papilio::cli {

/// Shortest of the times of at least three runs, about a tenth of a second's worth: where `alone`,
/// that is where all of them is done by this thread, its CPU time, else the wall's.
double shortest_seconds(const std::function<void()>& run, bool alone);

/// Whether the operands of so many lines, or arrays, take at most 1 GiB.
bool is_measurable(const fft_problem& problem, std::size_t lines);

/// shortest_seconds() of runs over all lines, or arrays, on zeros, alone on one thread. None unless
/// is_measurable().
std::optional<double> measured_seconds(const fft_executor& executor, const fft_problem& problem,
                                       std::size_t lines, int threads);

}  // namespace papilio::cli

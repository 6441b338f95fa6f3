#pragma once

#include <cstddef>
#include <vector>

#include "base/internal.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/fft/distribution.hpp"

namespace papilio::mpi {

/// The grid of the least cost; a later one, which cuts later axes, must cost less than `share` of the
/// best before it.
std::vector<int> least_grid(const std::vector<std::size_t>& extents, int ranks, order output,
                            double share, function_ref<double(const fft_design&)> cost);

/// Returns the number of ranks, among 1, 2, 4 ... `most`, of the least seconds.
PAPILIO_INTERNAL int ranks_of_least_time(int most, function_ref<double(int ranks)> seconds_on);

}  // namespace papilio::mpi

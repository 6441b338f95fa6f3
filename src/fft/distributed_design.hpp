#pragma once

#include <cstddef>
#include <vector>

#include "papilio/base/parallel_for.hpp"
#include "papilio/fft/distribution.hpp"

namespace papilio::mpi {

/// The grid of the least cost; a later one, which cuts later axes, must cost less than `share` of the
/// best before it.
std::vector<int> least_grid(const std::vector<std::size_t>& extents, int ranks, order output,
                            double share, function_ref<double(const fft_design&)> cost);

}  // namespace papilio::mpi

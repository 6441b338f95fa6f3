#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace papilio::kernels::test {

/// Seeded values in [low, high), row-major.
array<float, 2> values_between(float low, float high, std::int64_t rows, std::int64_t columns,
                               std::uint64_t seed);

/// A kernel of the catalog at these sizes, timed without values.
engine::profile dry_profile(const std::string& kernel, const std::vector<std::string>& settings,
                            const engine::machine_spec& machine = engine::trainium1());

/// The bits of each value, so that comparisons tell zeros and NaNs apart.
std::vector<std::uint32_t> bits_of(const array<float, 2>& values);

}  // namespace papilio::kernels::test

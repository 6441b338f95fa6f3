#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/engine/core.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine::test {

/// Puts values into a tile, partition by partition in the pattern's order, by way of HBM (and, for
/// PSUM, of a tile in SBUF), converted to the view's type.
void load(core& nc, const tile_view& view, std::span<const float> values);
/// The same for int32 and uint8 views, without a trip through fp32.
void load_integers(core& nc, const tile_view& view, std::span<const std::int32_t> values);
/// What is there, in the same order.
std::vector<float> read(core& nc, const tile_view& view);
std::vector<std::int32_t> read_integers(core& nc, const tile_view& view);

/// Seeded values in [lo, hi), the same on every host.
std::vector<float> values_between(float lo, float hi, std::size_t count, std::uint64_t seed = 1);
std::vector<std::int32_t> integers_between(std::int32_t lo, std::int32_t hi, std::size_t count,
                                           std::uint64_t seed = 1);

/// The bits of each value, so that comparisons tell zeros and NaNs apart.
std::vector<std::uint32_t> bits_of(std::span<const float> values);

/// A copy that every machine has on this unit: the scalar engine's is an activation.
instruction copy(const tile_view& out, const tile_view& in, unit on);

/// "operand: reason" of the kernel_error that issuing throws; "(accepted)" if none.
std::string refusal(core& nc, const instruction& i);

/// A core of trainium1 in strict mode, and one of trainium2.
struct fixture : testing::Test {
  core nc{trainium1(), {}};
  core nc2{trainium2(), {}};

  /// A tile of random values in [-2, 2).
  tile filled(int partitions, std::int64_t columns, dtype type = dtype::fp32,
              std::uint64_t seed = 1);
  tile filled_psum(int partitions, std::int64_t columns, dtype type = dtype::fp32,
                   std::uint64_t seed = 1);
  /// The same on trainium2.
  tile filled2(int partitions, std::int64_t columns, dtype type = dtype::fp32);
  tile filled_psum2(int partitions, std::int64_t columns, dtype type = dtype::fp32);
};

}  // namespace papilio::engine::test

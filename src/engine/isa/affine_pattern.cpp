#include "engine/isa/affine_pattern.hpp"

#include <algorithm>

#include "papilio/base/error.hpp"

namespace papilio::engine_detail {

void check_affine(const checker& check, const engine::affine_pattern& pattern,
                  const engine::tile_view& out, std::int64_t lo, std::int64_t hi) {
  // This bound keeps the sums below far within int64 for all extents.
  constexpr std::int64_t largest = std::int64_t{1} << 40;
  const auto in_reach = [&](const char* what, std::int64_t v) {
    check.that(v >= -largest && v <= largest, "pattern", what, " must be within 2^40, got ", v);
  };
  in_reach("base", pattern.base);
  in_reach("partition_step", pattern.partition_step);
  std::int64_t least = pattern.base, most = pattern.base, count = 1;
  const auto widen = [&](std::int64_t steps, std::int64_t stride) {
    least += std::min<std::int64_t>(0, steps * stride);
    most += std::max<std::int64_t>(0, steps * stride);
  };
  widen(out.partitions() - 1, pattern.partition_step);
  for (const engine::pattern_dim& d : pattern.levels) {
    check.that(d.extent >= 1 && d.extent <= out.elements(), "pattern",
               "extent of a level must be in [1, ", out.elements(), "], got ", d.extent);
    in_reach("stride", d.stride);
    widen(d.extent - 1, d.stride);
    count *= d.extent;
    check.that(count <= out.elements(), "pattern", "has ", count, " elements or more, out has ",
               out.elements(), " a partition");
  }
  check.equal("pattern", "elements (as out)", count, out.elements());
  check.that(least >= lo && most <= hi, "pattern", "values [", least, ", ", most,
             "] must be within [", lo, ", ", hi, "]");
}

}  // namespace papilio::engine_detail

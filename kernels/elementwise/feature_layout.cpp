// How rows of features lie on partitions.
#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/elementwise/elementwise_designs.hpp"

namespace papilio::kernels_detail {

std::vector<feature_part> feature_parts(std::int64_t rows, std::int64_t features, std::int64_t most,
                                        const engine::machine_spec& machine) {
  const std::int64_t lanes = machine.sbuf.partitions, f = features;
  // Instructions on fewer elements cost as much.
  const auto shortest = static_cast<std::int64_t>(machine.vector.min_cycles);
  if (f <= most && rows * f >= lanes * shortest)
    return {{0, 1, f, std::min(most / f, ceil_div(rows, lanes))}};
  const std::int64_t each =
      std::min(f, std::clamp(ceil_div(rows * f, lanes), std::min(shortest, most), most));
  std::vector<feature_part> parts;
  for (std::int64_t p = 0, whole = f / each; p < whole; p += lanes)
    parts.push_back({p * each, std::min(lanes, whole - p), each, 1});
  if (f % each > 0) parts.push_back({f - f % each, 1, f % each, 1});
  return parts;
}

std::vector<feature_block> feature_blocks(std::int64_t rows, const feature_part& part,
                                          const engine::machine_spec& machine) {
  const std::int64_t most = machine.sbuf.partitions / part.pieces, whole = rows / part.together;
  std::vector<feature_block> all;
  for (std::int64_t g = 0; g < whole; g += most)
    all.push_back({g * part.together, std::min(most, whole - g), part.together});
  if (const std::int64_t left = rows % part.together; left > 0)
    all.push_back({rows - left, 1, left});
  return all;
}

}  // namespace papilio::kernels_detail

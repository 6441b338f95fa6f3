#include "engine/psum_groups.hpp"

#include <algorithm>

namespace papilio::engine_detail {

bool psum_groups::take(const engine::tile_view& out, const region& bytes, std::int64_t bank_bytes,
                       bool accumulates) {
  const tile_storage* const storage = out.storage();
  std::vector<group>& groups =
      banks_[std::size_t((storage->address_bytes + bytes.lo) / bank_bytes)];
  std::erase_if(groups, [](const group& g) { return g.generation != g.storage->generation; });
  const auto meets = [&](const group& g) {
    return g.bytes.first_partition < bytes.end_partition &&
           bytes.first_partition < g.bytes.end_partition;
  };
  if (accumulates)
    return std::ranges::all_of(
        groups, [&](const group& g) { return !meets(g) || contains(g.bytes, bytes); });
  std::erase_if(groups, meets);
  groups.push_back({storage, storage->generation, bytes});
  return true;
}

}  // namespace papilio::engine_detail

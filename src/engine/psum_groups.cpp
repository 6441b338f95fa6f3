#include "engine/psum_groups.hpp"

#include <algorithm>

namespace papilio::engine_detail {
namespace {

std::size_t bank_at(const engine::tile_view& out, std::int64_t byte, std::int64_t bank_bytes) {
  return std::size_t((out.storage()->address_bytes + byte) / bank_bytes);
}

bool share_partitions(const region& a, const region& b) {
  return a.first_partition < b.end_partition && b.first_partition < a.end_partition;
}

}  // namespace

std::vector<psum_groups::group>& psum_groups::live(std::size_t bank) {
  std::vector<group>& groups = banks_[bank];
  std::erase_if(groups, [](const group& g) { return g.generation != g.storage->generation; });
  return groups;
}

void psum_groups::begin(const engine::tile_view& out, const region& bytes,
                        std::int64_t bank_bytes) {
  std::vector<group>& groups = live(bank_at(out, bytes.lo, bank_bytes));
  std::erase_if(groups, [&](const group& g) { return share_partitions(g.bytes, bytes); });
  groups.push_back({out.storage(), out.storage()->generation, bytes});
}

psum_groups::onto psum_groups::add_to(const engine::tile_view& out, const region& bytes,
                                      std::int64_t bank_bytes) {
  onto found = onto::nothing;
  for (const group& g : live(bank_at(out, bytes.lo, bank_bytes))) {
    if (!share_partitions(g.bytes, bytes)) continue;
    if (!contains(g.bytes, bytes)) return onto::ended;
    const auto meets = [&](const region& r) { return overlap(r, bytes); };
    if (std::ranges::none_of(g.overwritten, meets)) found = onto::group;
  }
  return found;
}

void psum_groups::overwrite(const engine::tile_view& out, const region& bytes,
                            std::int64_t bank_bytes) {
  const std::size_t last = bank_at(out, bytes.hi - 1, bank_bytes);
  for (std::size_t bank = bank_at(out, bytes.lo, bank_bytes); bank <= last; ++bank) {
    std::vector<group>& groups = live(bank);
    const auto is_its = [&](const group& g) { return g.storage == out.storage(); };
    std::erase_if(groups, [&](const group& g) { return is_its(g) && contains(bytes, g.bytes); });
    for (group& g : groups)
      if (is_its(g) && overlap(g.bytes, bytes) &&
          std::ranges::find(g.overwritten, bytes) == g.overwritten.end())
        g.overwritten.push_back(bytes);
  }
}

}  // namespace papilio::engine_detail

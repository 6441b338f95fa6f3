#include "kernels/product/levels.hpp"

#include <algorithm>

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::array<std::int64_t, 3> start = {};

void visit_parts(std::span<const view_level> levels, std::size_t most,
                 const std::array<std::int64_t, 3>& at, part_function visit) {
  if (levels.size() <= most) return visit(at, levels);
  std::array<std::int64_t, 3> next = at;
  for (std::int64_t i = 0; i < levels[0].extent; ++i) {
    visit_parts(levels.subspan(1), most, next, visit);
    for (std::size_t p = 0; p < next.size(); ++p) next[p] += levels[0].strides[p];
  }
}

}  // namespace

view_levels merged(const view_levels& levels) {
  view_levels all;
  for (const view_level& l : levels) {
    if (l.extent == 1) continue;
    const bool joins =
        !all.empty() && std::ranges::equal(all.back().strides, l.strides, {}, {},
                                           [&](std::int64_t s) { return s * l.extent; });
    if (joins)
      all.back() = {all.back().extent * l.extent, l.strides};
    else
      all.push_back(l);
  }
  return all;
}

void for_each_part(const view_levels& levels, std::size_t most, part_function visit) {
  visit_parts(levels, most, start, visit);
}

tile_view viewed(const tile_view& tile, std::int64_t offset, std::span<const view_level> levels,
                 std::size_t place) {
  std::array<pattern_dim, tile_view::dims_max> dims;
  dims[0] = {};
  for (std::size_t i = 0; i < levels.size(); ++i)
    dims[i] = {levels[i].extent, levels[i].strides[place]};
  return tile.pattern(offset, std::span(dims).first(std::max<std::size_t>(1, levels.size())));
}

void issue_transfers(core& nc, transfer which, const tile_view& tile, const hbm_view& tensor,
                     std::int64_t offset, const view_levels& partitions, const view_levels& free) {
  const view_levels rows = merged(partitions);
  const auto most = std::min<std::size_t>(std::size_t(hbm_view::dims_max) - rows.size(),
                                          std::size_t(nc.machine().access.pattern_dims_max));
  for_each_part(merged(free), most, [&](const auto& at, std::span<const view_level> rest) {
    std::vector<pattern_dim> dims;
    for (const view_level& l : rows) dims.push_back({l.extent, l.strides[0]});
    for (const view_level& l : rest) dims.push_back({l.extent, l.strides[0]});
    if (dims.empty()) dims.push_back({});
    const tile_view here = viewed(tile, at[1], rest, 1);
    const hbm_view there = tensor.pattern(offset + at[0], dims);
    if (which == transfer::load)
      nc.issue(dma_copy{.out = here, .in = there});
    else
      nc.issue(dma_copy{.out = there, .in = here});
  });
}

}  // namespace papilio::kernels_detail

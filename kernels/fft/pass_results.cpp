// Results of a pass' products on their way out of PSUM.
#include "kernels/fft/run_pass.hpp"

#include <algorithm>

#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

void pass_run::deliver(pass_block& b, std::size_t stage, const group_box& box, std::int64_t run,
                       const tile_view& sums, const tile_view& exit, const tile_view& factors) {
  const fft_stage& s = pass_.stages[stage];
  const bool columns = pass_.entry == orientation::columns;
  const int lanes = int(lanes_of_run(b, run));
  if (stage + 1 == pass_.stages.size()) {
    std::int64_t plane = 0;
    for (const packed_level& l : packed(pass_, pass_.out))
      if (l.digit < 0) plane = l.tile;
    const std::vector<std::int64_t> strides = exit_strides(pass_);
    digit_layout groups = s.groups;
    for (digit_level& l : groups) l.stride = l.weight * strides[std::size_t(l.digit)];
    const tile_view to = exit.partition_range(0, lanes);
    const std::int64_t offset = offset_at(groups, box.first);
    std::vector<copy_level> levels = result_levels(s, box, strides);
    const std::int64_t from_plane = s.points * s.shared.extent;
    if (factors.empty()) {
      levels.push_back({2, plane, from_plane});
      return copy(to, offset, sums, std::move(levels));
    }
    return multiply(to, offset, plane, sums, s, box.count, std::move(levels), factors);
  }
  if (stage == 0) return deliver_slots(b, s, box, run, sums);
  // In between, results take the places of what they were made of.
  std::vector<copy_level> levels;
  for (std::size_t i = 0; i < box.levels.size(); ++i) {
    std::int64_t from = s.reals();
    for (std::size_t j = i + 1; j < box.levels.size(); ++j) from *= box.levels[j].extent;
    levels.push_back({box.levels[i].extent, box.levels[i].stride, from});
  }
  levels.push_back({2, s.plane_stride, s.points * s.shared.extent});
  std::int64_t from = s.points * s.shared.extent;
  for (const digit_level& l : s.point_levels) {
    from /= l.extent;
    levels.push_back({l.extent, l.stride, from});
  }
  levels.push_back({s.shared.extent, s.shared.stride, 1});
  const tile_view& to = columns ? b.entry : b.middle;
  copy(to.partition_range(0, lanes),
       offset_at(s.groups, box.first) + (columns ? run * column_tile_.run : 0), sums,
       std::move(levels));
}

// Group after group, as PSUM has them.
void pass_run::deliver_slots(const pass_block& b, const fft_stage& s, const group_box& box,
                             std::int64_t run, const tile_view& sums) {
  const int lanes = int(lanes_of_run(b, run));
  if (pass_.entry == orientation::rows) {
    evacuate(
        nc_,
        b.middle.partition_range(0, lanes).columns(box.first * s.reals(), box.count * s.reals()),
        sums.columns(0, box.count * s.reals()));
    return;
  }
  const column_tile& t = column_tile_;
  const std::int64_t plane = t.plane > 1 ? t.plane : s.reals() / 2;
  copy(b.entry.partition_range(0, lanes), box.first * t.slot + run * t.run, sums,
       {{box.count, t.slot, s.reals()}, {2, plane, s.reals() / 2}, {s.reals() / 2, 1, 1}});
}

// Of one plane.
std::vector<pass_run::copy_level> pass_run::result_levels(
    const fft_stage& s, const group_box& box, const std::vector<std::int64_t>& strides) const {
  std::vector<copy_level> levels;
  for (std::size_t i = 0; i < box.levels.size(); ++i) {
    const digit_level& l = box.levels[i];
    std::int64_t from = s.reals();
    for (std::size_t j = i + 1; j < box.levels.size(); ++j) from *= box.levels[j].extent;
    levels.push_back({l.extent, l.weight * strides[std::size_t(l.digit)], from});
  }
  std::int64_t from = s.points * s.shared.extent;
  for (const int d : s.digits) {
    const std::int64_t radix = pass_.digits[std::size_t(d)].radix;
    from /= radix;
    levels.push_back({radix, strides[std::size_t(d)], from});
  }
  if (s.shared.extent > 1)
    levels.push_back({s.shared.extent, s.shared.weight * strides[std::size_t(s.shared.digit)], 1});
  return levels;
}

// The copy as pairs of patterns of as many levels as the machine has, the output's closest elements
// innermost: emit(offset to, levels to, offset from, levels from).
template <class Emit>
void pass_run::split_levels(std::int64_t to, std::int64_t from, std::vector<copy_level> levels,
                            const Emit& emit) const {
  std::erase_if(levels, [](const copy_level& l) { return l.extent == 1; });
  std::ranges::stable_sort(levels, std::ranges::greater{}, &copy_level::to);
  std::vector<copy_level> joined;
  for (const copy_level& l : levels) {
    if (!joined.empty() && joined.back().to == l.to * l.extent &&
        joined.back().from == l.from * l.extent)
      joined.back() = {joined.back().extent * l.extent, l.to, l.from};
    else
      joined.push_back(l);
  }
  if (std::int64_t(joined.size()) > nc_.machine().access.pattern_dims_max) {
    const copy_level slowest = joined.front();
    joined.erase(joined.begin());
    for (std::int64_t i = 0; i < slowest.extent; ++i)
      split_levels(to + i * slowest.to, from + i * slowest.from, joined, emit);
    return;
  }
  if (joined.empty()) joined.push_back({1, 1, 1});
  std::vector<pattern_dim> to_dims, from_dims;
  for (const copy_level& l : joined) {
    to_dims.push_back({l.extent, l.to});
    from_dims.push_back({l.extent, l.from});
  }
  emit(to, to_dims, from, from_dims);
}

void pass_run::copy(const tile_view& to, std::int64_t to_offset, const tile_view& from,
                    std::vector<copy_level> levels) {
  split_levels(to_offset, 0, std::move(levels),
               [&](std::int64_t to_at, const std::vector<pattern_dim>& to_dims,
                   std::int64_t from_at, const std::vector<pattern_dim>& from_dims) {
                 evacuate(nc_, to.pattern(to_at, to_dims), from.pattern(from_at, from_dims));
               });
}

// (re + i im) (c + i s) with results in PSUM, where an operand costs the vector engine nothing:
// re s and im s go aside, then re c and im c take the results' places.
void pass_run::multiply(const tile_view& to, std::int64_t to_offset, std::int64_t to_plane,
                        const tile_view& from, const fft_stage& s, std::int64_t groups,
                        std::vector<copy_level> levels, const tile_view& factors) {
  const std::int64_t plane = s.reals() / 2, all = groups * s.reals();
  const tile_view whole = from.columns(0, all),
                  aside = products_.next().partition_range(0, from.partitions()).columns(0, all);
  const auto of_both_planes = [&](std::int64_t offset) {
    return factors.pattern(offset, {{groups, s.reals()}, {2, 0}, {plane, 1}});
  };
  nc_.issue(tensor_tensor{
      .out = aside, .left = whole, .right = of_both_planes(plane), .op = alu_op::multiply});
  nc_.issue(tensor_tensor{
      .out = whole, .left = whole, .right = of_both_planes(0), .op = alu_op::multiply});
  split_levels(to_offset, 0, std::move(levels),
               [&](std::int64_t to_at, const std::vector<pattern_dim>& to_dims,
                   std::int64_t from_at, const std::vector<pattern_dim>& from_dims) {
                 nc_.issue(tensor_tensor{.out = to.pattern(to_at, to_dims),
                                         .left = from.pattern(from_at, from_dims),
                                         .right = aside.pattern(from_at + plane, from_dims),
                                         .op = alu_op::subtract});
                 nc_.issue(tensor_tensor{.out = to.pattern(to_at + to_plane, to_dims),
                                         .left = from.pattern(from_at + plane, from_dims),
                                         .right = aside.pattern(from_at, from_dims),
                                         .op = alu_op::add});
               });
}

}  // namespace papilio::kernels_detail

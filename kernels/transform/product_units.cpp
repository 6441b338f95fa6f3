// Joins bundles of one shape to units, whose products fill up to two banks of PSUM together, so
// that few instructions copy the results.
#include <algorithm>

#include "kernels/transform/stage_compiler.hpp"

namespace papilio::kernels_detail {

using engine::pattern_dim;

namespace {

constexpr std::size_t tile_levels_max = 4, hbm_levels_max = 6;

}  // namespace

// Points that follow each other in HBM by `shift`, whole digits of this stage, are shared where
// pieces are alike and what is new fills partitions that the engines can begin at.
void stage_compiler::share_points(transform_stage& stage) const {
  if (o_.shift == 0 || !reads_points_ || is_last_ || o_.shift % left_ != 0) return;
  const std::int64_t digits = o_.shift / left_, bundles = std::ssize(bundles_),
                     beside = std::ssize(bundles_[0].groups), rotations = radix_ / digits;
  const bool alike = std::ranges::all_of(bundles_, [&](const group_bundle& b) {
    return b.pieces.size() == 1 && std::ssize(b.groups) == beside;
  });
  if (!alike || rotations < 2 || radix_ % digits != 0 || bundles % rotations != 0 ||
      digits * beside % machine_.sbuf.start_partition_step != 0)
    return;
  stage.renewed = digits * beside;
  stage.rotations = rotations;
  for (std::int64_t b = 0; b < bundles; b += rotations)
    stage.renewals.push_back({(radix_ - digits) * left_ + b * beside,
                              rotations * stage.renewed,
                              {{rotations, beside}, {digits, left_}, {beside, 1}}});
}

// Cuts a bundle's results into runs that one access pattern places. Squared bins and those that
// factors multiply are copied with their imaginary parts: only real parts are listed.
std::vector<result_copy> stage_compiler::copies_of(const group_bundle& b, std::int64_t first,
                                                   std::int64_t count) const {
  std::vector<std::int64_t> to, from;
  for (std::int64_t i = first; i < first + count; ++i) {
    if (overlaps_) {
      to.push_back(b.sums_at[std::size_t(i)]);
      from.push_back(i - first);
      continue;
    }
    const placed_element& p = b.out[std::size_t(i)];
    if (is_last_ && (o_.squared || o_.factored) && p.what.plane == 1) continue;
    to.push_back(p.at);
    from.push_back(i - first);
  }
  std::vector<result_copy> copies = copies_between(to, from, tile_levels_max);
  if (o_.factored)
    for (result_copy& c : copies) c.partner = count / 2;
  return copies;
}

bool stage_compiler::alike(const group_bundle& a, const group_bundle& b) const {
  return a.pieces.size() == b.pieces.size() && a.columns == b.columns && a.slots == b.slots;
}

void stage_compiler::make_units(transform_stage& stage) {
  for (std::size_t first = 0, end = 0; first < bundles_.size(); first = end) {
    const group_bundle& one = bundles_[first];
    const std::int64_t columns = one.columns, pieces = std::ssize(one.pieces);
    // Results follow each other without a gap: within one bank where they do not fill it.
    const auto fit = [&](std::int64_t width) {
      return bank_ % width ? bank_ / width : product_banks * (bank_ / width);
    };
    std::int64_t most = stores_points_     ? fit(o_.batch) / one.slots
                        : columns <= bank_ ? fit(columns)
                                           : 1;
    const std::int64_t batch = stores_points_ || overlaps_ ? o_.batch : array_rows_;
    if (!loads_points_) most = std::min(most, product_banks * (bank_ / batch) / pieces);
    most = std::max<std::int64_t>(1, most);
    end = first + 1;
    while (end < bundles_.size() && std::int64_t(end - first) < most && alike(bundles_[end], one))
      ++end;
    const std::span bundles = std::span(bundles_).subspan(first, end - first);
    if (stores_points_) {
      const std::int64_t slots = std::min(one.slots, fit(o_.batch));
      for (std::int64_t slot = 0; slot < one.slots; slot += slots)
        add_point_unit(stage, bundles, slot, std::min(slots, one.slots - slot));
    } else if (columns <= bank_) {
      add_unit(stage, bundles, 0, columns);
    } else {
      const auto cut = [&](std::int64_t i) {
        if (overlaps_) return i / bank_;
        const transform_element& e = one.out[std::size_t(i)].what;
        return (f_.transposed ? e.j : e.k) / (bank_ / 2);
      };
      for (std::int64_t at = 0, next = 0; at < columns; at = next) {
        while (next < columns && cut(next) == cut(at)) ++next;
        add_unit(stage, bundles, at, next - at);
      }
    }
  }
}

namespace {

// Joins DMA moves of one form, of bundles whose slots are `slot_step` apart.
void add_moves(std::vector<point_move>& to, std::span<const std::vector<partition_run>> runs,
               std::span<const std::vector<placed_element>* const> elements,
               std::int64_t slot_step) {
  std::size_t most = 0;
  for (const auto& r : runs) most = std::max(most, r.size());
  const auto same_form = [](const partition_run& a, const partition_run& b) {
    return a.slot == b.slot && a.partition == b.partition && a.run.levels == b.run.levels;
  };
  for (std::size_t c = 0; c < most; ++c)
    for (std::size_t first = 0, end = 0; first < runs.size(); first = end) {
      end = first + 1;
      if (c >= runs[first].size()) continue;
      const partition_run& one = runs[first][c];
      const auto element = [&](std::size_t b) -> const placed_element& {
        return (*elements[b])[runs[b][c].run.first];
      };
      while (end < runs.size() && c < runs[end].size() && same_form(runs[end][c], one) &&
             element(end).mirrored == element(first).mirrored)
        ++end;
      std::vector<std::int64_t> offsets;
      for (std::size_t b = first; b < end; ++b) offsets.push_back(element(b).at);
      // The batch is a level too. No level of a pattern that is written may lie within the steps of
      // another.
      std::vector<address_run> slots =
          runs_of(offsets, offsets.size(), hbm_levels_max - 1 - one.run.levels.size());
      for (const address_run& run : slots) {
        std::vector<pattern_dim> all = one.run.levels;
        all.insert(all.end(), run.levels.begin(), run.levels.end());
        if (!are_nested(std::move(all))) {
          slots = runs_of(offsets, 1, 1);
          break;
        }
      }
      for (address_run& run : slots)
        to.push_back({.offset = offsets[run.first],
                      .levels = one.run.levels,
                      .slots = std::move(run.levels),
                      .partition = one.partition,
                      .slot = std::int64_t(first + run.first) * slot_step + one.slot,
                      .slot_step = slot_step,
                      .mirrored = element(first).mirrored});
    }
}

}  // namespace

// Rows that follow each other in one order leave PSUM together where accesses may begin there, of
// all products that have them.
void stage_compiler::add_ordered(
    product_unit& u, std::span<const std::vector<partition_run>> runs,
    std::span<const std::vector<placed_element>* const> elements) const {
  std::vector<ordered_rows> all;
  for (std::size_t b = 0; b < runs.size(); ++b)
    for (const partition_run& r : runs[b]) {
      const ordered_rows one{.partition = r.partition,
                             .rows = std::int64_t(r.run.count),
                             .slot = std::int64_t(b) * u.products_each + r.slot,
                             .mirrored = (*elements[b])[r.run.first].mirrored};
      if (!all.empty()) {
        ordered_rows& last = all.back();
        const std::int64_t rows = one.partition + one.rows - last.partition;
        if (last.slot == one.slot && last.mirrored == one.mirrored &&
            last.partition % start_grain(rows, machine_) == 0) {
          last.rows = rows;
          continue;
        }
      }
      all.push_back(one);
    }
  for (const ordered_rows& one : all) {
    const auto same = std::ranges::find_if(u.ordered, [&](const ordered_rows& t) {
      return t.partition == one.partition && t.rows == one.rows && t.mirrored == one.mirrored &&
             t.slot + t.slots == one.slot;
    });
    if (same != u.ordered.end())
      ++same->slots;
    else
      u.ordered.push_back(one);
  }
}

void stage_compiler::add_unit(transform_stage& stage, std::span<const group_bundle> bundles,
                              std::int64_t at, std::int64_t columns) {
  product_unit u = unit_of(stage, bundles, at > 0);
  u.columns = columns;
  for (const group_bundle& b : bundles) u.matrices.push_back(b.matrix + at);
  add_copies(u, bundles, at);
  if (is_last_ && o_.factored)
    for (const group_bundle& b : bundles)
      for (std::int64_t c = at; c < at + columns; ++c) {
        const transform_element& e = b.out[std::size_t(c)].what;
        stage.numbers.push_back({f_.transposed ? e.j : e.k, e.plane});
      }
  stage.units.push_back(std::move(u));
}

void stage_compiler::add_point_unit(transform_stage& stage, std::span<const group_bundle> bundles,
                                    std::int64_t slot, std::int64_t slots) {
  product_unit u = unit_of(stage, bundles, slot > 0);
  u.columns = bundles[0].columns;
  u.products_each = slots;
  u.products *= slots;
  std::vector<std::vector<partition_run>> stores;
  std::vector<const std::vector<placed_element>*> elements;
  for (const group_bundle& b : bundles) {
    for (std::int64_t i = slot; i < slot + slots; ++i)
      u.matrices.push_back(b.matrix + i * b.columns);
    std::vector<partition_run>& of = stores.emplace_back();
    for (partition_run run : b.stores) {
      run.slot -= slot;
      if (run.slot >= 0 && run.slot < slots) of.push_back(std::move(run));
    }
    elements.push_back(&b.out);
  }
  add_moves(u.stores, stores, elements, slots);
  if ((f_.transposed ? o_.points : o_.bins).descending &&
      std::ranges::any_of(u.stores, &point_move::mirrored))
    add_ordered(u, stores, elements);
  stage.units.push_back(std::move(u));
}

// Makes a unit with its operands.
product_unit stage_compiler::unit_of(transform_stage& stage, std::span<const group_bundle> bundles,
                                     bool is_continued) const {
  const group_bundle& one = bundles[0];
  product_unit u{.is_continued = is_continued,
                 .products = std::ssize(bundles),
                 .pieces_each = std::ssize(one.pieces),
                 .matrix_step = one.slots * one.columns,
                 .part_step = overlaps_ ? one.columns : 0};
  for (const group_bundle& b : bundles)
    u.pieces.insert(u.pieces.end(), b.pieces.begin(), b.pieces.end());
  if (!loads_points_) return u;
  u.first_slot = is_continued ? stage.units.back().first_slot : stage.slots;
  if (is_continued) return u;
  for (const group_bundle& b : bundles) add_slots(stage, b);
  std::vector<std::vector<partition_run>> loads;
  std::vector<const std::vector<placed_element>*> elements;
  for (const group_bundle& b : bundles) {
    loads.push_back(b.loads);
    elements.push_back(&b.in);
  }
  add_moves(u.loads, loads, elements, u.pieces_each);
  for (point_move& m : u.loads) m.slot += u.first_slot;
  return u;
}

// Adds the bundle's slots, their gaps, and the imaginary parts of bins 0 and n / 2 to be cleared.
void stage_compiler::add_slots(transform_stage& stage, const group_bundle& b) const {
  if ((f_.transposed ? o_.bins : o_.points).mirrored_from < f_.n())
    for (const partition_run& run : b.loads)
      for (std::size_t i = 0; i < run.run.count; ++i) {
        const placed_element& p = b.in[run.run.first + i];
        const std::int64_t number = f_.transposed ? p.what.k : p.what.j;
        if (p.what.plane == 1 && (number == 0 || 2 * number == f_.n()))
          stage.cleared.push_back({stage.slots + run.slot, run.partition + std::int64_t(i),
                                   b.pieces[std::size_t(run.slot)].rows, p.mirrored});
      }
  for (std::size_t i = 1; i < b.loads.size(); ++i) {
    const partition_run &one = b.loads[i - 1], &next = b.loads[i];
    const std::int64_t end = one.partition + std::int64_t(one.run.count);
    if (next.slot == one.slot && next.partition > end)
      stage.gaps.push_back({stage.slots + one.slot, end, next.partition - end});
  }
  stage.slots += std::ssize(b.pieces);
}

// Joins copies of several bundles whose addresses step evenly.
void stage_compiler::add_copies(product_unit& u, std::span<const group_bundle> bundles,
                                std::int64_t at) const {
  std::vector<std::vector<result_copy>> each;
  std::size_t most = 0;
  for (const group_bundle& b : bundles) {
    each.push_back(copies_of(b, at, u.columns));
    most = std::max(most, each.back().size());
  }
  for (std::size_t c = 0; c < most; ++c)
    for (std::size_t first = 0; first < each.size();) {
      if (c >= each[first].size()) {
        ++first;
        continue;
      }
      result_copy copy = each[first][c];
      copy.from += std::int64_t(first) * u.columns;
      std::size_t end = first + 1;
      std::int64_t step = 0;
      while (end < each.size() && c < each[end].size() &&
             each[end][c].to_levels == copy.to_levels && each[end][c].from == each[first][c].from &&
             copy.to_levels.size() < tile_levels_max) {
        const std::int64_t here = each[end][c].to - each[end - 1][c].to;
        if (end > first + 1 && here != step) break;
        step = here;
        ++end;
      }
      if (end - first > 1) {
        copy.to_levels.insert(copy.to_levels.begin(), {std::int64_t(end - first), step});
        copy.from_levels.insert(copy.from_levels.begin(), {std::int64_t(end - first), u.columns});
      }
      u.copies.push_back(std::move(copy));
      first = end;
    }
}

}  // namespace papilio::kernels_detail

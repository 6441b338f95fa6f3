#include "kernels/transform/groups.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/transform/stage_compiler.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {

constexpr std::size_t levels_max = 4;  // of an access to a tile, partitions aside

}  // namespace

stage_compiler::stage_compiler(const transform_formula& f, const stage_options& o,
                               const machine_spec& machine, int t, bool returns)
    : f_(f),
      o_(o),
      machine_(machine),
      t_(t),
      array_rows_(machine.tensor.rows),
      bank_(product_columns_max(machine)),
      before_(f.rows_after(t)),
      radix_(f.radices[std::size_t(t)]),
      left_(f.n() / before_ / radix_),
      returns_(returns),
      reads_points_(!f.transposed && t == 0),
      reads_bins_(f.transposed && t + 1 == f.stages()),
      is_last_(f.transposed ? t == 0 : !returns && t + 1 == f.stages()),
      loads_points_(o.loads_points && (reads_points_ || reads_bins_)),
      stores_points_(o.stores_points && is_last_),
      overlaps_(!o.overlap.is_none() && is_last_),
      line_reals_(f.n() * (f.real ? 1 : 2)),
      filled_(std::size_t(o.lines), 0) {}

transform_stage stage_compiler::compile(element_places& places) {
  make_bundles();
  transform_stage stage;
  // A sum over several pieces is rounded as short sums that are added up. The first stage of real
  // lines sums reals, others complex numbers.
  const std::int64_t reals = f_.real && t_ == 0 ? radix_ : 2 * radix_;
  stage.points = (std::min(reals, array_rows_) + 1) / 2 + (reals - 1) / array_rows_;
  stage.radix = radix_;
  stage.order =
      before_ / f_.rows_of_axes_before(t_) * radix_ * (f_.varies(t_) ? f_.rows_before : 1);
  stage.varies = f_.varies(t_);
  const bool keeps_points = f_.transposed || returns_;
  element_places next(f_.rows_after(keeps_points ? t_ : t_ + 1), o_.lines,
                      keeps_points ? left_ * radix_ : left_);
  for (group_bundle& b : bundles_) {
    place(b, places, next);
    b.matrix = matrix_of(b, stage.table_columns);
  }
  if (overlaps_) stage.overlap = o_.overlap;
  stage.out_columns =
      o_.lines * (is_last_ && !f_.transposed ? f_.bins() * (o_.squared ? 1 : 2) : line_reals_);
  share_points(stage);
  make_units(stage);
  stage.squared = is_last_ && o_.squared;
  stage.factored = is_last_ && o_.factored;
  // One copy of a whole unit to its place costs no more than a copy that keeps the order.
  stage.scattered =
      stage.squared ||
      (is_last_ && !overlaps_ &&
       std::ranges::any_of(stage.units, [](const product_unit& u) { return u.copies.size() > 1; }));
  stage.table = table(stage);
  stage.table_columns *= stage.rotations;
  places = std::move(next);
  return stage;
}

std::int64_t stage_compiler::orbit_of(std::int64_t k) const {
  k %= before_;
  return f_.real ? std::min(k, (before_ - k) % before_) : k;
}

bool stage_compiler::is_own_image(std::int64_t orbit) const {
  return f_.real && 2 * orbit % before_ == 0;
}

// Orders groups: orbits that are their own mirror image first, then by line, orbit, point left.
std::int64_t stage_compiler::group_of(const transform_element& e) const {
  const std::int64_t orbit = orbit_of(e.k);
  return (((is_own_image(orbit) ? 0 : o_.lines) + e.line) * before_ + orbit) * left_ + e.j % left_;
}

stage_compiler::by_group stage_compiler::sorted(int t, bool whole) const {
  const std::vector<transform_element> elements = elements_after(f_, t, o_.lines, whole);
  std::vector<std::size_t> ends(std::size_t(2 * o_.lines * before_ * left_) + 1, 0);
  std::vector<std::int64_t> groups;
  for (const transform_element& e : elements) {
    groups.push_back(group_of(e));
    ++ends[std::size_t(groups.back()) + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  by_group all(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i)
    all[ends[std::size_t(groups[i])]++] = {groups[i], elements[i]};
  return all;
}

// Bundles as many groups as fit the array's rows: all points left of a row first, then rows, and
// lines where addresses are adjacent.
void stage_compiler::make_bundles() {
  const bool whole = !f_.transposed && is_last_;
  const by_group in = sorted(t_, false), out = sorted(returns_ ? t_ : t_ + 1, whole);
  std::size_t reals = 0;
  for (const by_group* elements : {&in, &out}) {
    const auto [first, last] = std::ranges::equal_range(*elements, elements->back().first, {},
                                                        &by_group::value_type::first);
    reals = std::max(reals, std::size_t(last - first));
  }
  const bool wide = o_.wide && t_ + 1 == f_.stages() && f_.stages() > 1;
  const std::int64_t room = (wide ? 2 : 1) * array_rows_ / std::int64_t(reals);
  std::int64_t share = 1;
  for (std::int64_t d = 1; d <= std::min(left_, room); ++d)
    if (left_ % d == 0) share = d;
  // No later stage reads points that it leaves, whose patterns may be of two forms.
  if (is_last_ && room > 0 && room < left_) share = ceil_div(left_, ceil_div(left_, room));
  const std::int64_t most =
      share == left_ ? std::max<std::int64_t>(1, room / left_) * left_ : share;
  std::pair<bool, std::int64_t> last{false, -1};
  for (std::size_t i = 0, o = 0; i < in.size();) {
    const std::int64_t group = in[i].first;
    const transform_element& e = in[i].second;
    const std::pair<bool, std::int64_t> here{is_own_image(orbit_of(e.k)),
                                             before_ == 1 ? 0 : e.line};
    if (bundles_.empty() || here != last || std::ssize(bundles_.back().groups) == most)
      bundles_.emplace_back();
    last = here;
    group_bundle& b = bundles_.back();
    b.groups.push_back(group);
    for (; i < in.size() && in[i].first == group; ++i) b.in.push_back({in[i].second});
    for (; o < out.size() && out[o].first == group; ++o)
      b.out.push_back(
          {out[o].second, 0, 0, out[o].second.k % before_ != orbit_of(out[o].second.k)});
  }
  if (f_.transposed)
    for (group_bundle& b : bundles_) std::swap(b.in, b.out);
}

// Takes the addresses of points or bins, where the transform begins or ends, from their layout.
void stage_compiler::put_outside(std::vector<placed_element>& elements, bool bins) const {
  const line_layout& layout = bins ? o_.bins : o_.points;
  for (placed_element& p : elements) {
    const std::int64_t number = bins ? p.what.k : p.what.j;
    p.at = layout.at(bins && o_.squared ? 0 : p.what.plane, p.what.line, number);
    if (loads_points_ || stores_points_) p.mirrored = number >= layout.mirrored_from;
  }
}

void stage_compiler::place(group_bundle& b, element_places& before, element_places& next) {
  if (reads_points_ || reads_bins_)
    put_outside(b.in, reads_bins_);
  else
    for (placed_element& p : b.in) p.at = before[p.what];
  std::ranges::sort(b.in, {}, [](const placed_element& p) { return std::tuple(p.mirrored, p.at); });
  cut_operand(b);
  place_results(b, next);
}

void stage_compiler::cut_operand(group_bundle& b) const {
  std::vector<std::int64_t> addresses;
  for (const placed_element& p : b.in) addresses.push_back(p.at);
  // Complex numbers have pieces alike, wherever planes lie, so that sums do not depend on the
  // lines beside them.
  const std::int64_t all = std::ssize(addresses),
                     rows = f_.real ? array_rows_ : ceil_div(all, ceil_div(all, array_rows_));
  if (!loads_points_) {
    for (address_run& run : runs_of(addresses, std::size_t(rows), levels_max)) {
      for (std::size_t i = 0; i < run.count; ++i)
        b.in[run.first + i].column = std::ssize(b.pieces) * array_rows_ + std::int64_t(i);
      b.pieces.push_back({addresses[run.first], std::int64_t(run.count), std::move(run.levels)});
    }
    return;
  }
  const std::vector<std::size_t> direct{
      std::size_t(std::ranges::find(b.in, true, &placed_element::mirrored) - b.in.begin())};
  b.loads = on_partitions(addresses, direct, rows, true, levels_max, machine_);
  if (!b.in.back().mirrored) {
    auto with_gaps = on_partitions(addresses, {}, array_rows_, false, levels_max, machine_);
    const std::int64_t slots = with_gaps.back().slot;
    if (slots < b.loads.back().slot && (f_.real || slots == 0)) b.loads = std::move(with_gaps);
  }
  for (const partition_run& run : b.loads) {
    b.pieces.resize(std::size_t(run.slot) + 1);
    b.pieces.back().rows = run.partition + std::int64_t(run.run.count);
    b.pieces.back().mirrored =
        b.in[run.run.first].mirrored && (reads_bins_ ? o_.bins : o_.points).descending;
    for (std::size_t i = 0; i < run.run.count; ++i)
      b.in[run.run.first + i].column = run.slot * array_rows_ + run.partition + std::int64_t(i);
  }
}

void stage_compiler::place_results(group_bundle& b, element_places& next) {
  const bool bins = !f_.transposed;
  b.columns = std::ssize(b.out);
  if (overlaps_) return place_sums(b);
  if (is_last_) put_outside(b.out, bins);
  if (stores_points_) {
    std::ranges::sort(b.out, {}, [](const placed_element& p) {
      return std::tuple(p.mirrored, p.what.plane, p.at);
    });
    std::vector<std::int64_t> addresses;
    for (const placed_element& p : b.out) addresses.push_back(p.at);
    // Where some numbers are mirrored, each plane is stored by itself, so that the regions of
    // stores are disjoint.
    std::vector<std::size_t> parts;
    for (std::size_t i = 1; i < b.out.size() && b.out.back().mirrored; ++i)
      if (b.out[i].what.plane != b.out[i - 1].what.plane ||
          b.out[i].mirrored != b.out[i - 1].mirrored)
        parts.push_back(i);
    b.stores = on_partitions(addresses, parts, array_rows_, false, levels_max, machine_);
    b.columns = 0;
    for (const partition_run& run : b.stores)
      b.columns = std::max(b.columns, run.partition + std::int64_t(run.run.count));
    b.slots = b.stores.back().slot + 1;
    for (const partition_run& run : b.stores)
      for (std::size_t i = 0; i < run.run.count; ++i)
        b.out[run.run.first + i].column = run.slot * b.columns + run.partition + std::int64_t(i);
    return;
  }
  if (is_last_) {
    // Real and imaginary parts that do not fit one bank stay together.
    const std::int64_t part = std::ssize(b.out) > bank_ ? bank_ / 2 : f_.n();
    std::ranges::sort(b.out, {}, [&](const placed_element& p) {
      return std::tuple(p.mirrored && !o_.factored, (bins ? p.what.k : p.what.j) / part,
                        p.what.plane, p.mirrored, p.at);
    });
  } else {
    std::ranges::sort(b.out, {}, [](const placed_element& p) {
      return std::tuple(p.what.k, p.what.plane, p.what.line, p.what.j);
    });
    for (std::size_t i = 0; i < b.out.size(); ++i) {
      placed_element& p = b.out[i];
      // Numbers of a line lie together, in the order in which they are made; or in the slots of
      // what they are made of.
      const bool in_place = loads_points_ && o_.slot_columns > 0;
      p.at = in_place ? (slots_ + std::int64_t(i) / array_rows_) * o_.slot_columns +
                            std::int64_t(i) % array_rows_
                      : p.what.line * line_reals_ + filled_[std::size_t(p.what.line)]++;
      next[p.what] = p.at;
    }
    slots_ += std::ssize(b.pieces);
  }
  for (std::size_t i = 0; i < b.out.size(); ++i) b.out[i].column = std::int64_t(i);
}

// Results of a bundle are the numbers of its residues modulo the points left; part b of the matrix
// has for each of them the point that it is of line b, if there is one.
void stage_compiler::place_sums(group_bundle& b) const {
  const line_overlap& o = o_.overlap;
  std::vector<bool> mine(std::size_t(left_), false);
  for (const placed_element& p : b.out) mine[std::size_t(p.what.j % left_)] = true;
  const auto residue = [&](std::int64_t j) { return ((j % left_) + left_) % left_; };
  for (std::int64_t i = 0; i < o.width; ++i)
    if (mine[std::size_t(residue(o.first + i))]) b.sums_at.push_back(i);
  b.columns = std::ssize(b.sums_at);
  b.slots = o.parts;
  b.out.clear();
  for (std::int64_t part = 0; part < o.parts; ++part)
    for (std::int64_t c = 0; c < b.columns; ++c) {
      const std::int64_t at = b.sums_at[std::size_t(c)], j = o.first + part * o.hop + at;
      if (j >= 0 && j < f_.n()) b.out.push_back({{.j = j}, at, part * b.columns + c, false});
    }
}

std::vector<transform_stage> stages_of(const transform_formula& formula,
                                       const stage_options& options, const machine_spec& machine) {
  std::vector<transform_stage> stages;
  element_places places(1, 1, 1);
  for (int s = 0; s < formula.stages(); ++s)
    stages.push_back(
        stage_compiler(formula, options, machine, formula.transposed ? formula.stages() - 1 - s : s)
            .compile(places));
  return stages;
}

std::vector<transform_stage> round_trip_stages(const transform_formula& there,
                                               const transform_formula& back,
                                               const stage_options& options,
                                               const machine_spec& machine) {
  std::vector<transform_stage> stages;
  element_places places(1, 1, 1);
  const int last = there.stages() - 1;
  for (int t = 0; t < last; ++t)
    stages.push_back(stage_compiler(there, options, machine, t).compile(places));
  stages.push_back(stage_compiler(there, options, machine, last, true).compile(places));
  for (int t = last; t-- > 0;)
    stages.push_back(stage_compiler(back, options, machine, t).compile(places));
  return stages;
}

}  // namespace papilio::kernels_detail

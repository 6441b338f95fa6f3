#include "kernels/contraction/choice.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/lru_cache.hpp"
#include "base/splitmix64.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

constexpr double effort_max = 1500;  // instructions of a dry run, roughly
constexpr double hopeless = 60000;   // of one block

// So many blocks that a pipeline's start and end are not all that is seen, and that results are
// stored as often as in all of them: those of a result follow each other.
std::int64_t blocks_to_try(double all, double effort, double of_a_result) {
  constexpr double least = 3, beyond = 4;
  const double some = std::max(least, effort_max / effort);
  const auto whole = std::int64_t(some / of_a_result) * std::int64_t(of_a_result);
  if (whole > 0) return std::int64_t(std::min(all, double(whole)));
  return std::int64_t(std::min(all, of_a_result > beyond * some ? some : of_a_result));
}

double blocks_of_a_result(const step_design& design) {
  const auto* const products = std::get_if<product_step_design>(&design);
  return products != nullptr ? kernels_detail::blocks_of_a_result(*products) : 1;
}

void issue(core& nc, const contraction_step& step, const step_design& design,
           const step_tensors& tensors, std::int64_t blocks) {
  if (const auto* const products = std::get_if<product_step_design>(&design))
    return run_products(nc, step, *products, tensors, blocks);
  if (const auto* const moves = std::get_if<move_step_design>(&design))
    return run_moves(nc, step, *moves, tensors, blocks);
  run_lanes(nc, step, std::get<lane_step_design>(design), tensors, blocks);
}

double blocks_in(const contraction_step& step, const step_design& design) {
  if (const auto* const products = std::get_if<product_step_design>(&design))
    return blocks_of(step, *products);
  if (const auto* const moves = std::get_if<move_step_design>(&design)) return blocks_of(*moves);
  return blocks_of(std::get<lane_step_design>(design));
}

double effort_in(const contraction_step& step, const step_design& design) {
  return std::visit([&](const auto& d) { return effort_of(step, d); }, design);
}

std::optional<double> tried(const contraction_step& step, const step_design& design,
                            const machine_spec& machine) {
  try {
    core nc(machine, {.mode = run_mode::dry_run, .strict = false});
    step_tensors tensors;
    for (std::size_t s = 0; s < tensors.flat.size(); ++s)
      tensors.flat[s] = nc.hbm({std::max<std::int64_t>(1, step.planes * step.plane[s])});
    const double blocks = blocks_in(step, design);
    const std::int64_t some =
        blocks_to_try(blocks, effort_in(step, design), blocks_of_a_result(design));
    issue(nc, step, design, tensors, some);
    return nc.summary().value("total_time") * blocks / double(some);
  } catch (const kernel_error&) {
    return {};  // the machine refuses it; where it refuses all, the launch says why
  }
}

bool is_same(const std::vector<block_loop>& a, const std::vector<block_loop>& b) {
  // Loops of one block have no order.
  const auto real = [](std::vector<block_loop> all) {
    std::erase_if(all, [](const block_loop& l) { return l.blocks() == 1; });
    return all;
  };
  return std::ranges::equal(real(a), real(b), [](const block_loop& x, const block_loop& y) {
    return x.axis == y.axis && x.unit == y.unit && x.block == y.block;
  });
}

bool is_same(const product_step_design& a, const product_step_design& b) {
  return a.rows == b.rows && a.m == b.m &&
         a.stationary.is_transposed == b.stationary.is_transposed &&
         a.moving.is_transposed == b.moving.is_transposed && is_same(a.loops, b.loops);
}

struct priced_design {
  step_design design;
  double seconds = std::numeric_limits<double>::infinity();
};

// Of one part; `adds`: only what can be added to an output.
priced_design best_design(const contraction_step& step, bool adds, const machine_spec& machine) {
  priced_design best;
  const auto consider = [&](const step_design& d) {
    const std::optional<double> seconds = tried(step, d, machine);
    if (seconds && *seconds < best.seconds) best = {d, *seconds};
  };
  const std::vector<lane_step_design> lanes = lane_designs(step, machine);
  best.design = lanes.front();
  for (const lane_step_design& d : lanes)
    if (!adds || !d.lanes_summed) consider(d);
  if (adds) return best;
  for (const move_step_design& d : move_designs(step, machine)) consider(d);
  std::vector<product_step_design> known;
  for (const product_step_design& d : product_designs(step, machine)) {
    if (std::ranges::any_of(known, [&](const auto& k) { return is_same(k, d); })) continue;
    const bool has_other = best.seconds < std::numeric_limits<double>::infinity();
    if (has_other && effort_of(step, d) > hopeless) continue;
    known.push_back(d);
    consider(d);
  }
  if (const auto* const products = std::get_if<product_step_design>(&best.design)) {
    product_step_design late = *products;
    late.is_early = false;
    consider(late);
  }
  return best;
}

// A long axis as two, of which the slower one has as many values as there are lanes: what lies on a
// partition is then long. What is left over is a part of its own.
struct split_step {
  contraction_step main, rest;
  std::array<std::int64_t, 3> offsets = {};  // of the rest
  bool has_rest = false;
};

std::optional<split_step> split(const contraction_step& step, bool summed, std::int64_t lanes) {
  constexpr std::int64_t shortest = 4;
  int longest = -1;
  for (std::size_t a = 0; a < step.axes.size(); ++a)
    if (step.axes[a].is_summed() == summed &&
        (longest < 0 || step.axes[a].extent > step.axes[std::size_t(longest)].extent))
      longest = int(a);
  if (longest < 0 || step.axes[std::size_t(longest)].extent < shortest * lanes) return {};
  const std::int64_t extent = step.axes[std::size_t(longest)].extent;
  std::int64_t parts = lanes;
  while (parts > lanes / 2 && extent % parts != 0) --parts;
  if (extent % parts != 0) parts = lanes;
  const std::int64_t each = extent / parts;
  split_step s{.main = step, .rest = step, .offsets = {}, .has_rest = extent % parts != 0};
  step_axis& inner = s.main.axes[std::size_t(longest)];
  step_axis outer = inner;
  inner.extent = each;
  outer.extent = parts;
  for (std::int64_t& stride : outer.strides) stride *= each;
  s.main.axes.push_back(outer);
  step_axis& left = s.rest.axes[std::size_t(longest)];
  left.extent = extent - parts * each;
  for (std::size_t i = 0; i < s.offsets.size(); ++i) s.offsets[i] = parts * each * left.strides[i];
  if (left.extent == 1) s.rest.axes.erase(s.rest.axes.begin() + longest);
  return s;
}

void consider_split(step_choice& best, const contraction_step& step, bool summed,
                    const machine_spec& machine) {
  const auto s = split(step, summed, machine.sbuf.partitions);
  if (!s) return;
  priced_design main = best_design(s->main, false, machine);
  double seconds = main.seconds;
  priced_design rest;
  if (s->has_rest) {
    rest = best_design(s->rest, summed, machine);
    if (summed) std::get<lane_step_design>(rest.design).adds_to_output = true;
    seconds += rest.seconds;
  }
  if (seconds >= best.seconds) return;
  best.seconds = seconds;
  best.parts = {{s->main, {}, std::move(main.design)}};
  if (s->has_rest) best.parts.push_back({s->rest, s->offsets, std::move(rest.design)});
}

step_choice chosen(const contraction_step& step, const machine_spec& machine) {
  priced_design whole = best_design(step, false, machine);
  step_choice best{{{step, {}, std::move(whole.design)}}, whole.seconds, {}};
  for (const bool summed : {false, true}) consider_split(best, step, summed, machine);
  for (const step_part& p : best.parts) {
    best.text += best.text.empty() ? "" : "; ";
    best.text += std::visit([&](const auto& d) { return d.describe(p.loops); }, p.design);
  }
  return best;
}

struct choice_key {
  contraction_step step;
  machine_spec machine;
  bool operator==(const choice_key&) const = default;
};
struct choice_key_hash {
  std::size_t operator()(const choice_key& key) const {
    std::uint64_t hash = 0;
    const auto add = [&](std::int64_t word) {
      hash = base_detail::splitmix64::mixed(hash ^ std::uint64_t(word));
    };
    for (const step_axis& a : key.step.axes) {
      add(a.extent);
      for (const std::int64_t stride : a.strides) add(stride);
    }
    return hash;
  }
};

double effort_in(const step_choice& choice) {
  double effort = 0;
  for (const step_part& p : choice.parts)
    effort += effort_in(p.loops, p.design) * blocks_in(p.loops, p.design);
  return effort;
}

step_tensors scratch_for(core& nc, const step_choice& choice) {
  const contraction_step& step = choice.parts.front().loops;
  step_tensors tensors;
  for (std::size_t s = 0; s < tensors.flat.size(); ++s)
    tensors.flat[s] = nc.hbm({std::max<std::int64_t>(1, step.planes * step.plane[s])});
  return tensors;
}

}  // namespace

double seconds_together(const std::array<const step_choice*, 2>& permuted, const step_choice& step,
                        const machine_spec& machine) {
  constexpr double effort_all = 6000;  // instructions
  double effort = effort_in(step), sum = step.seconds;
  for (const step_choice* const p : permuted) {
    effort += p != nullptr ? effort_in(*p) : 0;
    sum += p != nullptr ? p->seconds : 0;
  }
  if (effort > effort_all) return sum;
  core nc(machine, {.mode = run_mode::dry_run, .strict = false});
  const step_tensors tensors = scratch_for(nc, step);
  for (std::size_t s = 0; s < permuted.size(); ++s) {
    if (permuted[s] == nullptr) continue;
    step_tensors own = scratch_for(nc, *permuted[s]);
    own.flat[std::size_t(side::out)] = tensors.flat[s];
    run(nc, *permuted[s], own);
  }
  run(nc, step, tensors);
  return nc.summary().value("total_time");
}

step_choice choose(const contraction_step& step, const machine_spec& machine) {
  // Pure, and asked again and again: by searches for orders, by explanations, and by those that run.
  using cache = base_detail::lru_cache<choice_key, choice_key, step_choice, choice_key_hash,
                                       std::equal_to<choice_key>>;
  static cache known({.entries = 512, .bytes = 512});
  const choice_key key{step, machine};
  if (const auto there = known.find(key)) return *there;
  return *known.keep(key, std::make_shared<const step_choice>(chosen(step, machine)), 1);
}

void run(core& nc, const step_choice& choice, const step_tensors& tensors) {
  for (const step_part& p : choice.parts) {
    step_tensors part = tensors;
    for (std::size_t i = 0; i < part.flat.size(); ++i)
      if (p.offsets[i] > 0)
        part.flat[i] =
            tensors.flat[i].pattern(p.offsets[i], {{tensors.flat[i].elements() - p.offsets[i], 1}});
    issue(nc, p.loops, p.design, part, std::numeric_limits<std::int64_t>::max());
  }
}

}  // namespace papilio::kernels_detail

// Chains two steps of a contraction: the first one's result stays in SBUF, from which the second
// reads it, where dry runs say that this is faster than going through HBM.
#include "kernels/contraction/choice.hpp"

#include <algorithm>
#include <utility>

#include "kernels/choice.hpp"
#include "kernels/dry_run.hpp"
#include "kernels/product/rooms.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

constexpr double effort_all = 6000;  // instructions of both steps in a dry run, at most

double effort(const contraction_step& step, const product_step_design& d) {
  return effort_of(step, d) * blocks_of(d.loops);
}

// Seconds of both steps in one dry run; empty where the machine refuses them.
std::optional<price> price_in(const chain_problem& p, const step_parts& first,
                              const step_parts& second, const machine_spec& machine) {
  const auto both = dry_run(machine, [&](core& nc) {
    step_tensors made = scratch_for(nc, p.first), read = scratch_for(nc, p.second);
    read.flat[std::size_t(p.reads)] = made.flat[std::size_t(operand_role::out)];
    chip_value given;
    if (p.before != nullptr) {
      given.layout = *p.before->given()->given;
      given.memory = nc.sbuf(nc.machine().sbuf.partitions, given.layout.words);
    }
    const chip_value kept = run(nc, first, made, given);
    given = {};
    run(nc, second, read, kept);
  });
  if (!both) return {};
  return price{both->value("total_time")};
}

// Candidates for the first step: products whose result is one block, one candidate of each that
// differ in their partitions and transpositions. An operand that lies in SBUF is read from there.
std::vector<step_part> first_steps(const chain_problem& p, const machine_spec& machine) {
  std::vector<step_part> parts;
  const panel_design* const given = p.before != nullptr ? p.before->given() : nullptr;
  for (product_step_design& d : product_designs(p.first, machine, given)) {
    if (!makes_one_block(p.first, d) || effort(p.first, d) > effort_all) continue;
    const bool is_known = std::ranges::any_of(parts, [&](const step_part& part) {
      const auto& o = std::get<product_step_design>(part.design);
      return o.rows == d.rows && o.m.whole == d.m.whole && o.m.cut == d.m.cut &&
             o.stationary.is_transposed == d.stationary.is_transposed &&
             o.moving.is_transposed == d.moving.is_transposed;
    });
    if (!is_known) parts.push_back({.loops = p.first, .design = std::move(d), .keeps = true});
  }
  return parts;
}

}  // namespace

std::optional<chained_pair> chained(const chain_problem& p, const machine_spec& machine) {
  if (std::max(p.next->seconds, p.apart->seconds) > machine.thresholds.chained_seconds_max)
    return {};
  std::vector<chained_pair> all;
  for (const step_part& first : first_steps(p, machine)) {
    panel_design kept;
    kept.from = p.reads;
    kept.given = layout_of(first.loops, std::get<product_step_design>(first.design));
    for (const product_step_design& d : product_designs(p.second, machine, &kept))
      if (effort(p.second, d) <= effort_all)
        all.push_back({first, {.loops = p.second, .design = d}});
  }
  if (all.empty()) return {};
  const choice<chained_pair> found = cheapest(all, [&](const chained_pair& pair) {
    return price_in(p, {pair.first}, {pair.second}, machine);
  });
  const auto apart = price_in(p, p.before != nullptr ? step_parts{*p.before} : p.apart->parts,
                              p.next->parts, machine);
  if (found.compared.empty() || (apart && found.at.seconds >= apart->seconds)) return {};
  return found.best;
}

}  // namespace papilio::kernels_detail

// Results that stay in SBUF for the next step.
#include "kernels/contraction/chain.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/choice.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

constexpr double effort_all = 6000;  // instructions of both steps in a dry run, at most

double effort(const contraction_step& step, const product_step_design& d) {
  return effort_of(step, d) * blocks_of(d.loops);
}

step_tensors scratch_for(core& nc, const contraction_step& step, const hbm_view& shared,
                         side place) {
  step_tensors tensors;
  for (std::size_t s = 0; s < tensors.flat.size(); ++s)
    tensors.flat[s] = side(s) == place
                          ? shared
                          : nc.hbm({std::max<std::int64_t>(1, step.planes * step.plane[s])});
  return tensors;
}

chip_value stand_in(core& nc, const chained_step& step) {
  return {nc.sbuf(nc.machine().sbuf.partitions, step.lies.words), step.lies};
}

// Both in a dry run; empty where the machine refuses them.
template <class First, class Second>
std::optional<price> price_in(const chain_problem& p, const machine_spec& machine,
                              const First& first, const Second& second) {
  try {
    core nc(machine, {.mode = run_mode::dry_run, .strict = false});
    const hbm_view between =
        nc.hbm({std::max<std::int64_t>(1, p.first.planes * p.first.plane[std::size_t(side::out)])});
    chip_value given;
    if (p.before) given = stand_in(nc, *p.before);
    chip_value kept = first(nc, scratch_for(nc, p.first, between, side::out), given);
    given = {};
    second(nc, scratch_for(nc, p.second, between, p.reads), kept);
    return price{nc.summary().value("total_time")};
  } catch (const kernel_error&) {
    return {};
  }
}

// The first step as it could run: alone, or with what it reads from SBUF.
std::vector<chained_step> first_steps(const chain_problem& p, const machine_spec& machine) {
  std::vector<chained_step> all;
  const std::vector<product_step_design> designs =
      p.before ? product_designs_of(p.first, p.before->given, p.before->lies, machine)
               : product_designs(p.first, machine);
  for (const product_step_design& d : designs) {
    if (!makes_one_block(p.first, d) || effort(p.first, d) > effort_all) continue;
    const bool is_known = std::ranges::any_of(all, [&](const chained_step& s) {
      return s.design.rows == d.rows && s.design.m.whole == d.m.whole &&
             s.design.m.cut == d.m.cut &&
             s.design.stationary.is_transposed == d.stationary.is_transposed &&
             s.design.moving.is_transposed == d.moving.is_transposed;
    });
    if (is_known) continue;
    all.push_back({.loops = p.first,
                   .design = d,
                   .given = p.before ? p.before->given : side::out,
                   .lies = p.before ? p.before->lies : chip_layout{},
                   .keeps = true});
  }
  return all;
}

double seconds_apart(const chain_problem& p, const machine_spec& machine) {
  const auto apart = price_in(
      p, machine,
      [&](core& nc, const step_tensors& t, const chip_value& given) {
        if (!p.before) return run(nc, p.apart->parts, t), chip_value{};
        return run(nc, *p.before, t, &given);
      },
      [&](core& nc, const step_tensors& t, const chip_value&) { run(nc, p.next->parts, t); });
  return apart ? apart->seconds : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<chained_pair> chained(const chain_problem& p, const machine_spec& machine) {
  if (std::max(p.next->seconds, p.apart->seconds) > machine.thresholds.chained_seconds_max)
    return {};
  std::vector<chained_pair> all;
  for (const chained_step& first : first_steps(p, machine)) {
    const chip_layout lies = layout_of(first.loops, first.design);
    for (const product_step_design& d : product_designs_of(p.second, p.reads, lies, machine))
      if (effort(p.second, d) <= effort_all)
        all.push_back(
            {first,
             {.loops = p.second, .design = d, .given = p.reads, .lies = lies, .keeps = false}});
  }
  if (all.empty()) return {};
  const choice<chained_pair> found = cheapest(all, [&](const chained_pair& pair) {
    return price_in(
        p, machine,
        [&](core& nc, const step_tensors& t, const chip_value& given) {
          return run(nc, pair.first, t, &given);
        },
        [&](core& nc, const step_tensors& t, const chip_value& kept) {
          run(nc, pair.second, t, &kept);
        });
  });
  if (found.compared.empty() || found.at.seconds >= seconds_apart(p, machine)) return {};
  return found.best;
}

chip_value run(core& nc, const chained_step& step, const step_tensors& tensors,
               const chip_value* given) {
  chip_value result;
  product_chips chips;
  if (step.given != side::out) chips.given = given->memory.whole();
  if (step.keeps) {
    result.layout = layout_of(step.loops, step.design);
    result.memory = nc.sbuf(nc.machine().sbuf.partitions, result.layout.words);
    chips.result = result.memory.whole();
  }
  run_products(nc, step.loops, step.design, tensors, std::numeric_limits<std::int64_t>::max(),
               chips);
  return result;
}

}  // namespace papilio::kernels_detail

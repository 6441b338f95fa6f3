#include "kernels/contraction/choice.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "papilio/engine/kernel_error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

constexpr double effort_max = 1500;   // instructions of a dry run, roughly
constexpr double hopeless = 60000;    // of one block

// So many blocks that a pipeline's start and end are not all that is seen.
std::int64_t blocks_to_try(double all, double effort) {
  constexpr double least = 3;
  return std::int64_t(std::min(all, std::max(least, effort_max / effort)));
}

step_tensors scratch_for(core& nc, const contraction_step& step) {
  step_tensors tensors;
  for (std::size_t s = 0; s < tensors.flat.size(); ++s)
    tensors.flat[s] = nc.hbm({std::max<std::int64_t>(1, step.planes * step.plane[s])});
  return tensors;
}

template <class Run>
std::optional<double> tried(const contraction_step& step, const machine_spec& machine,
                            double blocks, double effort, const Run& run) {
  try {
    core nc(machine, {.mode = run_mode::dry_run, .strict = false});
    const std::int64_t some = blocks_to_try(blocks, effort);
    run(nc, scratch_for(nc, step), some);
    return nc.summary().value("total_time") * blocks / double(some);
  } catch (const kernel_error&) {
    return {};  // the machine refuses it; where it refuses all, the launch says why
  }
}

bool is_same(const lane_group& a, const lane_group& b) {
  return a.whole == b.whole && a.cut == b.cut && a.chunk == b.chunk;
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
  return a.rows == b.rows && is_same(a.m, b.m) &&
         a.stationary.is_transposed == b.stationary.is_transposed &&
         a.moving.is_transposed == b.moving.is_transposed && is_same(a.loops, b.loops);
}

}  // namespace

step_choice choose(const contraction_step& step, const machine_spec& machine) {
  std::optional<step_choice> best;
  const auto consider = [&](const auto& design, double seconds) {
    if (best && best->seconds <= seconds) return;
    best = step_choice{design, seconds, design.describe(step)};
  };
  const std::vector<lane_step_design> lanes = lane_designs(step, machine);
  for (const lane_step_design& d : lanes)
    if (const auto seconds = tried(step, machine, blocks_of(d), effort_of(step, d),
                                   [&](core& nc, const step_tensors& t, std::int64_t blocks) {
                                     run_lanes(nc, step, d, t, blocks);
                                   }))
      consider(d, *seconds);
  for (const move_step_design& d : move_designs(step, machine))
    if (const auto seconds = tried(step, machine, blocks_of(d), effort_of(step, d),
                                   [&](core& nc, const step_tensors& t, std::int64_t blocks) {
                                     run_moves(nc, step, d, t, blocks);
                                   }))
      consider(d, *seconds);
  std::vector<product_step_design> known;
  for (const product_step_design& d : product_designs(step, machine)) {
    const bool is_known = std::ranges::any_of(
        known, [&](const product_step_design& k) { return is_same(k, d); });
    const double effort = effort_of(step, d);
    if (is_known || (best && effort > hopeless)) continue;
    known.push_back(d);
    if (const auto seconds = tried(step, machine, blocks_of(step, d), effort,
                                   [&](core& nc, const step_tensors& t, std::int64_t blocks) {
                                     run_products(nc, step, d, t, blocks);
                                   }))
      consider(d, *seconds);
  }
  if (best) return *std::move(best);
  return {lanes.front(), 0, lanes.front().describe(step)};
}

void run(core& nc, const contraction_step& step, const step_choice& choice,
         const step_tensors& tensors) {
  if (const auto* const products = std::get_if<product_step_design>(&choice.design))
    return run_products(nc, step, *products, tensors);
  if (const auto* const moves = std::get_if<move_step_design>(&choice.design))
    return run_moves(nc, step, *moves, tensors);
  run_lanes(nc, step, std::get<lane_step_design>(choice.design), tensors);
}

}  // namespace papilio::kernels_detail

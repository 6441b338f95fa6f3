#include "kernels/contraction/choice.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/choice.hpp"
#include "kernels/design.hpp"
#include "kernels/dry_run.hpp"
#include "kernels/product/rooms.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

void issue(core& nc, const contraction_step& step, const step_design& design,
           const step_tensors& tensors, std::int64_t blocks, const on_chip_values& on_chip = {}) {
  if (const auto* const products = std::get_if<product_step_design>(&design))
    return run_products(nc, step, *products, tensors, on_chip);
  if (const auto* const moves = std::get_if<move_step_design>(&design))
    return run_moves(nc, step, *moves, tensors, blocks);
  run_on_vector(nc, step, std::get<vector_step_design>(design), tensors, blocks);
}

double blocks_in(const step_design& design) {
  return std::visit([](const auto& d) { return blocks_of(d.loops); }, design);
}

double effort_in(const contraction_step& step, const step_design& design) {
  return std::visit([&](const auto& d) { return effort_of(step, d); }, design);
}

std::optional<price> price_in(const contraction_step& step, const step_design& design,
                              const machine_spec& machine) {
  if (const auto* const products = std::get_if<product_step_design>(&design)) {
    const auto run = sampled(step, *products, machine);
    return run ? std::optional(price_of(run->of, run->scale)) : std::nullopt;
  }
  const double blocks = blocks_in(design);
  const std::int64_t some = blocks_to_try(blocks, effort_in(step, design), 1);
  const auto run =
      dry_run(machine, [&](core& nc) { issue(nc, step, design, scratch_for(nc, step), some); });
  if (!run) return {};
  return price_of(*run, blocks / double(some));
}

// All designs of a step; with `adds` only those that can add to elements that the output has.
std::vector<step_design> designs_of(const contraction_step& step, bool adds,
                                    const machine_spec& machine) {
  std::vector<step_design> all;
  for (const vector_step_design& d : vector_designs(step, machine))
    if (!adds || !d.are_partitions_summed) all.emplace_back(d);
  if (adds) return all;
  for (const move_step_design& d : move_designs(step, machine)) all.emplace_back(d);
  const std::vector<product_step_design> products = different_products(step, machine);
  all.insert(all.end(), products.begin(), products.end());
  return all;
}

// The fastest design of the whole step, in one part; infinite seconds where all are refused.
step_choice whole(const contraction_step& step, bool adds, const machine_spec& machine) {
  bool is_priced = false;
  const auto price_of = [&](const step_design& d) -> std::optional<price> {
    if (is_priced && std::holds_alternative<product_step_design>(d) &&
        effort_in(step, d) > hopeless_effort)
      return {};
    std::optional<price> found = price_in(step, d, machine);
    is_priced = is_priced || found.has_value();
    return found;
  };
  choice<step_design> found = cheapest(designs_of(step, adds, machine), price_of);
  if (!is_priced) found.at.seconds = std::numeric_limits<double>::infinity();
  return {{{step, {}, std::move(found.best)}}, found.at.seconds};
}

// A step whose longest axis is cut in two axes, of which the slower one has as many values as there
// are partitions, so that each partition holds a long row. Elements beyond a multiple of the
// partitions are a step of their own.
struct split_step {
  contraction_step main, rest;
  std::array<std::int64_t, 3> offsets = {};  // where `rest` begins in each tensor
  bool has_rest = false;
};

std::optional<split_step> split(const contraction_step& step, bool summed,
                                std::int64_t partitions) {
  constexpr std::int64_t shortest = 4;
  int longest = -1;
  for (std::size_t a = 0; a < step.axes.size(); ++a)
    if (step.axes[a].is_summed() == summed &&
        (longest < 0 || step.axes[a].extent > step.extent(longest)))
      longest = int(a);
  if (longest < 0 || step.extent(longest) < shortest * partitions) return {};
  const std::int64_t extent = step.extent(longest);
  std::int64_t parts = partitions;
  while (parts > partitions / 2 && extent % parts != 0) --parts;
  if (extent % parts != 0) parts = partitions;
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

step_choice in_parts(const split_step& s, bool summed, const machine_spec& machine) {
  step_choice all = whole(s.main, false, machine);
  if (!s.has_rest) return all;
  step_choice rest = whole(s.rest, summed, machine);
  step_part& part = rest.parts.front();
  part.offsets = s.offsets;
  if (summed) std::get<vector_step_design>(part.design).adds_to_output = true;
  all.parts.push_back(std::move(part));
  all.seconds += rest.seconds;
  return all;
}

step_choice chosen(const contraction_step& step, const machine_spec& machine) {
  std::vector<step_choice> all{whole(step, false, machine)};
  for (const bool summed : {false, true})
    if (const auto s = split(step, summed, machine.sbuf.partitions))
      all.push_back(in_parts(*s, summed, machine));
  return cheapest(all,
                  [](const step_choice& c) -> std::optional<price> { return price{c.seconds}; })
      .best;
}

double effort_in(const step_choice& choice) {
  double effort = 0;
  for (const step_part& p : choice.parts)
    effort += effort_in(p.loops, p.design) * blocks_in(p.design);
  return effort;
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
  const step_tensors tensors = scratch_for(nc, step.parts.front().loops);
  for (std::size_t s = 0; s < permuted.size(); ++s) {
    if (permuted[s] == nullptr) continue;
    step_tensors own = scratch_for(nc, permuted[s]->parts.front().loops);
    own.flat[std::size_t(operand_role::out)] = tensors.flat[s];
    run(nc, permuted[s]->parts, own);
  }
  run(nc, step.parts, tensors);
  return nc.summary().value("total_time");
}

step_choice choose(const contraction_step& step, const machine_spec& machine) {
  key_writer key;
  add_value(key, step);
  return *made_once(key.text(), machine, [&] { return chosen(step, machine); });
}

std::string describe(const step_parts& parts) {
  std::string text;
  for (const step_part& p : parts)
    text += (text.empty() ? "" : "; ") +
            std::visit([&](const auto& d) { return d.describe(p.loops); }, p.design);
  return text;
}

const panel_design* step_part::given() const {
  const auto* const products = std::get_if<product_step_design>(&design);
  if (products == nullptr) return nullptr;
  return products->stationary.given ? &products->stationary
         : products->moving.given   ? &products->moving
                                    : nullptr;
}

chip_value run(core& nc, const step_parts& parts, const step_tensors& tensors,
               const chip_value& given) {
  chip_value kept;
  for (const step_part& p : parts) {
    step_tensors part = tensors;
    for (std::size_t i = 0; i < part.flat.size(); ++i)
      if (p.offsets[i] > 0)
        part.flat[i] =
            tensors.flat[i].pattern(p.offsets[i], {{tensors.flat[i].elements() - p.offsets[i], 1}});
    on_chip_values on_chip;
    if (p.given() != nullptr) on_chip.given = given.memory.whole();
    if (p.keeps) {
      kept.layout = layout_of(p.loops, std::get<product_step_design>(p.design));
      kept.memory = nc.sbuf(nc.machine().sbuf.partitions, kept.layout.words);
      on_chip.result = kept.memory.whole();
    }
    issue(nc, p.loops, p.design, part, std::numeric_limits<std::int64_t>::max(), on_chip);
  }
  return kept;
}

}  // namespace papilio::kernels_detail

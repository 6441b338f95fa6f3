#include "kernels/product/choice.hpp"

#include <algorithm>
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

bool is_same(const std::vector<block_loop>& a, const std::vector<block_loop>& b) {
  // A loop of one block is the same wherever it stands.
  const auto real = [](std::vector<block_loop> all) {
    std::erase_if(all, [](const block_loop& l) { return l.blocks() == 1; });
    return all;
  };
  return std::ranges::equal(real(a), real(b), [](const block_loop& x, const block_loop& y) {
    return x.axis == y.axis && x.unit == y.unit && x.block == y.block;
  });
}

bool is_same(const product_step_design& a, const product_step_design& b) {
  return a.rows == b.rows && a.m == b.m && a.shares == b.shares && a.stream == b.stream &&
         a.stationary.is_transposed == b.stationary.is_transposed &&
         a.moving.is_transposed == b.moving.is_transposed && a.stationary.raw == b.stationary.raw &&
         is_same(a.loops, b.loops);
}

// Whether no other design can be faster: the tensor engine is busy nearly all the time.
bool is_settled(const profile& run) {
  constexpr double array_busy = 0.995;
  return run.verdict.bound_by == unit::tensor && run.verdict.active_fraction >= array_busy;
}

product_choice chosen_product(const std::string& name, const contraction_step& step,
                              const machine_spec& machine) {
  const std::vector<product_step_design> all = different_products(step, machine);
  if (all.empty())
    throw kernel_error(
        name, {}, 0, "sbuf",
        base_detail::message("two operands and a result need more than the ",
                             machine.sbuf.bytes_per_partition, " bytes of a partition"));
  bool is_priced = false, settled = false;
  const auto found = cheapest(
      all,
      [&](const product_step_design& d) -> std::optional<price> {
        if (is_priced && effort_of(step, d) > hopeless_effort) return {};
        const auto run = sampled(step, d, machine);
        if (!run) return {};
        is_priced = true;
        settled = is_settled(run->of);
        return price_of(run->of, run->scale);
      },
      [&](const price&) { return settled; });
  return {found.best,
          found.compared.empty()
              ? std::string()
              : base_detail::message("the fastest in a dry run, ", found.at.bound),
          found.texts([&](const product_step_design& d) { return d.describe(step); })};
}

}  // namespace

std::optional<sampled_run> sampled(const contraction_step& step, const product_step_design& design,
                                   const machine_spec& machine) {
  const block_sample sample = sample_of(step, design);
  auto run = dry_run(machine, [&](core& nc) {
    run_products(nc, step, design, scratch_for(nc, step), {}, sample.some);
  });
  if (!run) return {};
  return sampled_run{*std::move(run), sample.scale};
}

std::vector<product_step_design> different_products(const contraction_step& step,
                                                    const machine_spec& machine) {
  std::vector<product_step_design> products;
  for (product_step_design& d : product_designs(step, machine))
    if (std::ranges::none_of(products, [&](const auto& known) { return is_same(known, d); }))
      products.push_back(std::move(d));
  return products;
}

product_choice choose_product(const std::string& name, const contraction_step& step,
                              const machine_spec& machine) {
  key_writer key;
  add_value(key, step);
  return *made_once(key.text(), machine, [&] { return chosen_product(name, step, machine); });
}

step_tensors scratch_for(core& nc, const contraction_step& step) {
  step_tensors tensors;
  const kernels::product_epilogue& e = step.epilogue;
  const auto out = std::size_t(operand_role::out);
  const auto made = [&](std::size_t s) {
    return nc.hbm({std::max<std::int64_t>(1, step.planes * step.plane[s])}, step.stored[s]);
  };
  for (std::size_t s = 0; s < tensors.flat.size(); ++s) tensors.flat[s] = made(s);
  if (e.beta != 0) tensors.before = made(out);
  if (e.bias) tensors.bias = nc.hbm({step.planes, step.plane[out]}, step.stored[0]);
  if (e.sums == kernels::product_sums::rows) tensors.sums = nc.hbm({step.plane[out]});
  if (e.sums == kernels::product_sums::whole) tensors.sums = nc.hbm({1});
  return tensors;
}

}  // namespace papilio::kernels_detail

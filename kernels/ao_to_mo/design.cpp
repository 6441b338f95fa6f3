#include "kernels/ao_to_mo/design.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/product/choice.hpp"
#include "kernels/tiles.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using kernels::integral_layout;

// Axes of the two products by their place in each: `by_last` is m in the first product and a in the
// second; the strips of m are in the first alone.
enum axis : int { by_group, by_function, by_basis, by_occupied, by_last, by_strip };

// An axis with its strides in the operands and the result; 0 where a tensor does not have it.
step_axis axis_of(std::int64_t extent, const std::array<std::int64_t, 3>& strides) {
  step_axis axis{.extent = extent, .strides = strides};
  for (std::size_t s = 0; s < strides.size(); ++s) axis.has[s] = strides[s] != 0;
  return axis;
}

contraction_step step_of(std::vector<step_axis> axes, const array_operands& operands) {
  contraction_step step{.axes = std::move(axes)};
  for (std::size_t a = 0; a < step.axes.size(); ++a) step.labels.push_back(int(a));
  step.is_pair = true;
  step.type = operands.type;
  step.parts = operands.parts;
  for (std::size_t s = 0; s < step.plane.size(); ++s) {
    step.plane[s] = 1;
    for (const step_axis& a : step.axes)
      if (a.has[s]) step.plane[s] += (a.extent - 1) * a.strides[s];
  }
  return step;
}

// The number of strips of m with which the integrals of one auxiliary function take the least time.
// Each partition loads a row of that many consecutive m: longer rows make DMA faster, until fewer
// rows of the array are in use. The choice does not depend on how many functions go together.
std::int64_t strips_of(const ao_to_mo_design& d, const machine_spec& machine) {
  constexpr std::int64_t most = 16;
  const std::int64_t n = d.nbasis, most_rows = array_rows(machine);
  const double passes = d.operands.is_fp32() ? machine.tensor.fp32_passes : d.operands.products();
  const bool is_split = d.operands.parts > 1;  // a load of more strips is fewer transfers
  const auto tiles = [&](std::int64_t strips) { return strips * ceil_div(n / strips, most_rows); };
  const auto seconds = [&](std::int64_t strips) {
    const double row = double(strips * n) * sizeof(float) / machine.dma.bytes_per_ns,
                 dma = double(n / strips) * std::max(row, machine.dma.descriptor_ns) /
                       double(machine.dma.engines);
    return std::max(dma * 1e-9, passes * double(tiles(strips) * ceil_div(n, most_rows)) *
                                    double(std::max(most_rows / 2, d.nocc)) /
                                    machine.tensor.clock_hz);
  };
  std::int64_t best = 1;
  for (std::int64_t s = 2; s <= std::min(n, most); ++s)
    if (n % s == 0 && (seconds(s) < seconds(best) || (is_split && tiles(s) == tiles(best))))
      best = s;
  return best;
}

// The chain of both products for some groups of `together` functions each, and its seconds; empty
// where it does not fit SBUF.
struct priced_chain {
  product_chain chain;
  double seconds;
};
std::optional<priced_chain> chain_in(const ao_to_mo_design& d, std::int64_t groups,
                                     std::int64_t together, std::int64_t strips,
                                     const machine_spec& machine) {
  product_chain steps = d.products_of(groups, together, strips);
  auto chain = chain_of(
      steps.first, steps.second, {by_group, by_group},
      {.summed = {by_last}, .rows = {by_basis}, .last = {by_function, by_occupied}}, machine);
  if (!chain) return {};
  const auto seconds = chain->seconds(machine);
  if (!seconds) return {};
  return priced_chain{*std::move(chain), *seconds};
}

}  // namespace

mo_strides strides_of(const ao_to_mo_design& d) {
  if (d.layout == integral_layout::ipa) return {d.nvir, d.naux * d.nvir};
  return {d.nocc * d.nvir, d.nvir};
}

product_chain ao_to_mo_design::products_of(std::int64_t groups, std::int64_t together,
                                           std::int64_t strips) const {
  const std::int64_t n = nbasis, half = n * together * nocc;  // elements of H of a group
  const auto [per_p, per_i] = strides_of(*this);
  // Rows (p, i) of the result are one axis where they have one stride.
  const std::int64_t functions = per_p == nocc * per_i ? 1 : together;
  product_chain c;
  c.first =
      step_of({axis_of(groups, {together * n * n, 0, half}), axis_of(together, {n * n, 0, nocc}),
               axis_of(n, {1, 0, together * nocc}), axis_of(nocc, {0, 1, 1}),
               axis_of(n / strips, {strips * n, strips * nocc, 0}), axis_of(strips, {n, nocc, 0})},
              operands);
  c.second =
      step_of({axis_of(groups, {half, 0, together * per_p}), axis_of(functions, {nocc, 0, per_p}),
               axis_of(n, {together * nocc, nvir, 0}),
               axis_of(together / functions * nocc, {1, 0, per_i}), axis_of(nvir, {0, 1, 1})},
              operands);
  return c;
}

double ao_to_mo_design::tensor_cycles(const machine_spec& machine) const {
  const auto cycles = [&](std::int64_t m, std::int64_t n, std::int64_t k, dtype of) {
    return matrix_product{.m = m, .n = n, .k = k, .type = of}.tensor_cycles(
        of == dtype::fp32 ? 1 : operands.products(), machine);
  };
  const dtype type = operands.type;
  return double(naux) * (cycles(nbasis, nocc, nbasis, type) + cycles(nocc, nvir, nbasis, type)) +
         (metric ? double(nocc) * cycles(naux, nvir, naux, dtype::fp32) : 0);
}

double ao_to_mo_design::expected_error(const machine_spec& machine) const {
  // Relative rms error of a factor's two bf16 parts, a rounding of a rounding; the product of
  // second parts, which is left out, is as small (matrix_product::expected_error).
  const double left = operands.parts > 1 ? 0.4247 * 0.4247 * 0x1p-16 : 0;
  const auto squared = [&](std::int64_t k, dtype of) {
    const double e = matrix_product{.k = k, .type = of}.expected_error(machine);
    return e * e;
  };
  const dtype of = operands.parts > 1 ? dtype::fp32 : operands.type;
  double sum = 2 * (squared(nbasis, of) + 3 * left * left);
  if (metric) sum += squared(naux, dtype::fp32);
  return square_root(sum);
}

std::string ao_to_mo_design::describe() const {
  std::string text;
  for (const transformed_functions& p : parts)
    text += (p.through_hbm ? base_detail::message(p.apart[0].describe(p.products.first),
                                                  ", which go through HBM:\n",
                                                  p.apart[1].describe(p.products.second))
                           : p.products.describe()) +
            "\n";
  const bool transposed = layout == integral_layout::iap;
  if (metric)
    text += base_detail::message("times the root of the metric",
                                 transposed ? ", then transposed in HBM" : "", ":\n",
                                 metric->describe());
  else if (transposed)
    text += "transposed in HBM\n";
  return text;
}

ao_to_mo_design design_ao_to_mo(const integral_transform_problem& problem,
                                const kernels::ao_to_mo_kernel_options& options,
                                const machine_spec& machine) {
  ao_to_mo_design d{.nbasis = std::int64_t(problem.nbasis),
                    .nocc = std::int64_t(problem.nocc),
                    .nvir = std::int64_t(problem.nvir),
                    .naux = std::int64_t(problem.naux),
                    .layout = options.layout};
  if (options.precision.mode != precision::native) d.operands.type = dtype::bf16;
  if (options.precision.mode == precision::split_bf16) d.operands.parts = options.precision.parts;
  constexpr std::int64_t most_together = 128;
  const std::int64_t strips = strips_of(d, machine);
  std::optional<priced_chain> best;
  std::int64_t together = 1;
  const auto look_at = [&](std::int64_t functions) {
    // Groups of different sizes leave different rests, so seconds are compared per function.
    auto found = chain_in(d, d.naux / functions, functions, strips, machine);
    if (!found) return;
    found->seconds /= double(d.naux / functions * functions);
    if (best && best->seconds <= found->seconds) return;
    best = std::move(found);
    together = functions;
  };
  // Rows of the array that stay empty with p functions in a group, as a ratio, and a little more
  // where the last group is smaller.
  const auto waste = [&](std::int64_t p) {
    const std::int64_t most_rows = array_rows(machine);
    const bool flat = d.layout != integral_layout::ipa;
    const std::int64_t rows =
        flat ? ceil_div(p * d.nocc, most_rows)
             : ceil_div(d.nocc, std::max<std::int64_t>(1, most_rows / p)) * ceil_div(p, most_rows);
    return double(rows * most_rows) / double(p * d.nocc) + (d.naux % p == 0 ? 0 : 0.02);
  };
  for (std::int64_t most = 1; most < 2 * std::min(d.naux, most_together); most *= 2) {
    std::int64_t best_p = std::min(most, d.naux);
    for (std::int64_t p = best_p; 2 * p > most; --p)
      if (waste(p) < waste(best_p)) best_p = p;
    look_at(best_p);
  }
  const std::int64_t rest = d.naux % together;
  const auto last = best && rest > 0 ? chain_in(d, 1, rest, strips, machine) : std::nullopt;
  if (!best || (rest > 0 && !last)) {
    const product_chain steps = d.products_of(1, d.naux, 1);
    d.parts = {{.products = steps,
                .through_hbm = true,
                .apart = {choose_product("ao_to_mo_kernel", steps.first, machine).design,
                          choose_product("ao_to_mo_kernel", steps.second, machine).design}}};
    return d;
  }
  d.parts = {{.products = best->chain}};
  if (last) d.parts.push_back({.first = d.naux - rest, .products = last->chain});
  return d;
}

}  // namespace papilio::kernels_detail

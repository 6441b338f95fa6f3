// Transforms in bf16 with iterative refinement.
//   identity   X = F(x) in bf16; then, once or twice, r = x - F^-1(X) and X += F(r)
//   errors     with relative errors e of F and i of F^-1, a refinement turns an error E into
//                sqrt(i^2 + 1.3 e^2 (E^2 + i^2) + a^2),
//              where a is the rounding of the sum, and 1.3 accounts for F being worse for some
//              outputs, which are those with the larger error. E is e at first, so that one
//              refinement leaves about e^2 and two leave i: the last inverse decides, and should be
//              better than fp32
//   inverses   run on the tensor engine in fp32. The second one, where that leaves more than 1e-7,
//              runs in three bf16 parts, whose sums of 16-bit products hardly round; where that
//              leaves more, by compensated butterflies if these have the length
//   bound      two or three times F's time, once or twice its inverse's, and two elementwise sweeps
//              for each refinement
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/butterfly/butterfly.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using base_detail::message;
using kernels::fft_kernel_options;
using kernels::sized_kernel;

const double rounding = rounding_squared_error();
constexpr double unevenness = 1.3;
// The error that two refinements should reach, with a margin for the model.
constexpr double goal = 0.9e-7;

// The design of an inverse transform of bf16_refined.
struct residual_inverse {
  precision_options how = {};
  kernels::kernel_design transform = {};

  auto fields() const { return std::tie(how.mode, how.parts, transform); }
  std::string describe() const {
    return how.mode == precision::compensated
               ? "compensated butterflies, " + transform.explain()
               : message("tensor engine, ", kernels_detail::describe(how), "\n",
                         transform.explain());
  }
  residual_inverse without_batch() const { return {how, transform.without_batch()}; }
};

// The inverse transform that a refinement subtracts from the signal: a recipe, or butterflies.
struct inverse_transform {
  precision_options how = {};
  fft_recipe recipe = {};  // if there are no butterflies
  std::optional<sized_kernel> butterflies = {};
  double error = 0;

  kernels::kernel_design design() const {
    return design_of(
        residual_inverse{how, butterflies ? butterflies->design : design_of(recipe.design())});
  }

  std::vector<kernels::constant_table> tables() const {
    return butterflies ? butterflies->tables : recipe.tables();
  }
  void run(core& nc, const hbm_view& in, const hbm_view& out, const kernel_arguments& arguments,
           std::size_t first_table) const {
    if (!butterflies) return recipe.run(nc, in, out, arguments, first_table);
    const auto& d = *design_as<butterfly_design>(butterflies->design);
    const auto shaped = [&](const hbm_view& v) { return v.reshape({2, d.batch, d.n}); };
    run_butterfly(nc, d, shaped(in), shaped(out),
                  d.table_size > 0 ? arguments.in(first_table) : hbm_view{});
  }
};

double after_refinement(double before, double forward, double inverse) {
  return square_root(inverse * inverse +
                     unevenness * forward * forward * (before * before + inverse * inverse) +
                     rounding);
}

// The transform that takes a spectrum of `problem` back.
fft_problem inverse_of(fft_problem problem) {
  const bool inverse = problem.is_inverse();
  problem.dir = inverse ? direction::forward : direction::inverse;
  problem.norm = inverse ? normalization::forward : normalization::backward;
  return problem;
}

inverse_transform array_inverse(const fft_problem& problem, const fft_kernel_options& options,
                                const precision_options& how, const machine_spec& machine) {
  inverse_transform inverse{
      .how = how,
      .recipe = recipe_of(inverse_of(problem),
                          {.precision = how, .whole_elements = options.whole_elements}, machine)};
  inverse.error = inverse.recipe.expected_error();
  return inverse;
}

std::optional<inverse_transform> butterfly_inverse(const fft_problem& problem,
                                                   const machine_spec& machine) {
  const fft_lines lines = lines_of(problem);
  if (!problem.is_complex() || !lines.only || !kernels::butterfly_fft_fits(lines.n, machine, true))
    return {};
  const fft_problem back = inverse_of(problem);
  inverse_transform inverse{.how = {.mode = precision::compensated},
                            .butterflies = kernels::butterfly_fft_kernel(
                                back, machine, {.precision = {.mode = precision::compensated}})};
  inverse.error = inverse.butterflies->expected_error;
  return inverse;
}

// The cheapest inverse with which the goal is reached, else the most accurate one.
inverse_transform last_inverse(const fft_problem& problem, const fft_kernel_options& options,
                               double before, double forward, const machine_spec& machine) {
  inverse_transform best = array_inverse(problem, options, {}, machine);
  const auto reached = [&] { return after_refinement(before, forward, best.error) <= goal; };
  if (reached()) return best;
  inverse_transform parts =
      array_inverse(problem, options, {.mode = precision::split_bf16, .parts = 3}, machine);
  if (parts.error < best.error) best = std::move(parts);
  if (reached()) return best;
  std::optional<inverse_transform> other = butterfly_inverse(problem, machine);
  if (other && other->error < best.error) best = std::move(*other);
  return best;
}

}  // namespace

void combine_tensors(core& nc, const hbm_view& out, const hbm_view& a, const hbm_view& b, alu_op op,
                     float scale) {
  constexpr std::int64_t columns_max = 2048;
  constexpr int depth = 3;
  struct block {
    std::int64_t first = 0, rows = 0, columns = 0;
    tile_view left = {}, right = {};
  };
  const int partitions = nc.machine().sbuf.partitions;
  const std::int64_t all = out.elements();
  std::vector<block> blocks;
  for (std::int64_t first = 0; first < all;) {
    block one{.first = first};
    one.columns = std::clamp<std::int64_t>((all - first) / partitions, 1, columns_max);
    one.rows = std::min<std::int64_t>(partitions, (all - first) / one.columns);
    first += one.rows * one.columns;
    blocks.push_back(one);
  }
  const std::int64_t widest = blocks.front().columns;
  tile_pool lefts = nc.sbuf_pool(depth, partitions, widest),
            rights = nc.sbuf_pool(depth, partitions, widest);
  const auto place = [](const hbm_view& v, const block& one) {
    return v.slice(0, one.first, one.rows * one.columns).reshape({one.rows, one.columns});
  };
  const auto load = [&](block& one) {
    one.left = lefts.next().partition_range(0, int(one.rows)).columns(0, one.columns);
    one.right = rights.next().partition_range(0, int(one.rows)).columns(0, one.columns);
    nc.issue(dma_copy{.out = one.left, .in = place(a, one)});
    nc.issue(dma_copy{.out = one.right, .in = place(b, one)});
  };
  load(blocks.front());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i + 1 < blocks.size()) load(blocks[i + 1]);
    const block& one = blocks[i];
    nc.issue(tensor_tensor{.out = one.left, .left = one.left, .right = one.right, .op = op});
    if (scale != 1) nc.issue(activation{.out = one.left, .in = one.left, .scale = scale});
    nc.issue(dma_copy{.out = place(out, one), .in = one.left});
  }
}

sized_kernel refined_fft(const fft_problem& problem, const fft_kernel_options& options,
                         const machine_spec& machine) {
  if (!problem.is_complex() && problem.is_inverse() && problem.axes.size() > 1)
    throw invalid_argument(
        "fft_kernel: precision.mode bf16_refined is not for real arrays from spectra along several "
        "axes: what these have that no real array has is rounded, and not refined");
  const int refinements = options.precision.refinements;
  const double factor = scale_of(problem, options);
  fft_problem unscaled = problem;
  unscaled.norm = normalization::none;
  const fft_recipe forward = recipe_of(
      unscaled, {.precision = {.mode = precision::bf16}, .whole_elements = options.whole_elements},
      machine);
  std::vector<inverse_transform> inverses{array_inverse(problem, options, {}, machine)};
  const double single = forward.expected_error();
  double error = after_refinement(single, single, inverses[0].error);
  if (refinements > 1) {
    inverses.push_back(last_inverse(problem, options, error, single, machine));
    error = after_refinement(error, single, inverses[1].error);
  }
  sized_kernel sized = empty_fft(problem);
  sized.expected_error = square_root(error * error + (is_power_of_two(factor) ? 0 : 2 * rounding));
  fft_design design{.mode = precision::bf16_refined,
                    .refinements = refinements,
                    .scale = factor,
                    .forward = design_of(forward.design())};
  sized.tables = forward.tables();
  std::vector<std::size_t> first_tables;
  for (std::size_t i = 0; i < inverses.size(); ++i) {
    first_tables.push_back(sized.tables.size() + 1);
    const auto tables = inverses[i].tables();
    sized.tables.insert(sized.tables.end(), tables.begin(), tables.end());
    design.inverses.push_back(inverses[i].design());
  }
  sized.design = design_of(std::move(design));
  sized.program.parameters = sized.design.key();
  const std::int64_t points = sized.inputs[0].elements(), bins = sized.outputs[0].elements();
  const double floor_bytes = forward.floor_bytes(machine, forward.sweeps());
  sized.program.body = [=, scale = float(factor)](core& nc, const kernel_arguments& t) {
    nc.state_floor(floor_bytes, 0);
    const hbm_view x = t.in(0).reshape({points}), out = t.out(0).reshape({bins});
    const hbm_view spectrum = nc.hbm({bins}), rest = nc.hbm({points}), change = nc.hbm({bins});
    forward.run(nc, x, spectrum, t, 1);
    for (std::size_t i = 0; i < inverses.size(); ++i) {
      const bool last = i + 1 == inverses.size();
      inverses[i].run(nc, spectrum, rest, t, first_tables[i]);
      combine_tensors(nc, rest, x, rest, alu_op::subtract);
      forward.run(nc, rest, change, t, 1);
      combine_tensors(nc, last ? out : spectrum, spectrum, change, alu_op::add, last ? scale : 1);
    }
  };
  return sized;
}

}  // namespace papilio::kernels_detail

// Rows of operations made of products - matrices, triangles, contractions, MP2 - and of functions
// of elements.
#include <cmath>
#include <vector>

#include "engine/device_memory.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/elementwise.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/mp2.hpp"
#include "papilio/kernels/triangular.hpp"

namespace papilio::operations_detail {

using base_detail::message;
using engine::machine_spec;
using kernels::sized_kernel;
using kernels_detail::products_in;

const kernel_modes modes_of_products{.all = {{.mode = precision::native},
                                             {.mode = precision::bf16},
                                             {.mode = precision::split_bf16, .parts = 2},
                                             {.mode = precision::split_bf16, .parts = 3}},
                                     .target = target_choice::fastest,
                                     .why = ": split_bf16 in 3 parts is as exact as fp32"};

namespace {

// Integrals may be split in two parts; energies may also be refined once, but a target never
// chooses that.
const kernel_modes modes_of_integrals{.all = {{.mode = precision::native},
                                              {.mode = precision::bf16},
                                              {.mode = precision::split_bf16}},
                                      .target = target_choice::fastest};
const kernel_modes modes_of_energies{.all = {{.mode = precision::native},
                                             {.mode = precision::bf16},
                                             {.mode = precision::split_bf16},
                                             {.mode = precision::bf16_refined}},
                                     .target = target_choice::fastest,
                                     .compared = 3};

template <class Problem>
const kernel_modes& products(const Problem&) {
  return modes_of_products;
}

sized_kernel contracted(const contraction_problem& p, const precision_options& how,
                        const machine_spec& machine) {
  kernels_detail::check_precision("contraction_kernel", how);
  return kernels::contraction_kernel(p, machine, products_in(how));
}

divided_work divided(const contraction_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  const int label = kernels::widest_label(p, on.cores());
  const auto [how, whole] = chosen(p, precision, on.machine());
  const auto parts =
      std::make_shared<const kernels::sharded_contraction>(on, p, label, mode, products_in(how));
  return {.recipe = parts->design().explain(),
          .relative_error = whole.expected_error,
          .inputs = whole.inputs,
          .outputs = whole.outputs,
          .run = [parts](const auto& in, const auto& out) { parts->run(in, out[0]); }};
}

// A batch of products as a contraction, bij,bjk->bik with labels b = 0, i = 1, j = 2, k = 3; a
// shared operand has no b.
contraction_problem contraction_of(const gemm_problem& p) {
  std::vector<std::size_t> left{p.m, p.k}, right{p.k, p.n};
  std::vector<int> left_labels{1, 2}, right_labels{2, 3};
  if (!p.shared_left) {
    left.insert(left.begin(), p.batch);
    left_labels.insert(left_labels.begin(), 0);
  }
  if (!p.shared_right) {
    right.insert(right.begin(), p.batch);
    right_labels.insert(right_labels.begin(), 0);
  }
  return {.sizes = {p.batch, p.m, p.k, p.n},
          .operands = {left, right},
          .steps = {{.of = {{0, left_labels}, {1, right_labels}}, .labels = {0, 1, 3}}},
          .results = {2},
          .is_complex = p.is_complex,
          .type = p.type};
}

sized_kernel multiplied(const gemm_problem& p, const precision_options& how,
                        const machine_spec& machine) {
  if (how.mode != precision::native || (p.is_complex && p.batch > 1))
    return contracted(contraction_of(p), how, machine);
  if (p.is_complex) return kernels::complex_gemm_kernel(p, machine);
  return p.batch == 1 ? kernels::gemm_kernel(p, machine) : kernels::batched_gemm_kernel(p, machine);
}

// The kernel's problem with the sizes and options that it shares with dispatch's problem.
template <class Kernel>
Kernel of_kernel(const triangle_problem& p) {
  Kernel k{};
  k.n = checked_cast<std::int64_t>(p.n, "triangle_problem: n");
  k.part = p.triangle;
  k.alpha = static_cast<float>(p.alpha);
  if constexpr (requires { k.m; }) {
    k.m = checked_cast<std::int64_t>(p.m, "triangle_problem: m");
    k.side = p.side;
  }
  if constexpr (requires { k.k; }) k.k = checked_cast<std::int64_t>(p.k, "triangle_problem: k");
  if constexpr (requires { k.beta; }) k.beta = static_cast<float>(p.beta);
  if constexpr (requires { k.transposed; }) k.transposed = p.transposed;
  if constexpr (requires { k.unit; }) k.unit = p.unit;
  return k;
}

sized_kernel triangular(const triangle_problem& p, const precision_options&,
                        const machine_spec& machine) {
  switch (p.function) {
    case triangle_function::symm:
      return kernels::symm_kernel(of_kernel<kernels::symm_problem>(p), machine);
    case triangle_function::trmm:
      return kernels::trmm_kernel(of_kernel<kernels::trmm_problem>(p), machine);
    case triangle_function::trsm:
      return kernels::trsm_kernel(of_kernel<kernels::trsm_problem>(p), machine);
    case triangle_function::syrk:
      break;
  }
  const auto update = of_kernel<kernels::syrk_problem>(p);
  if (const std::int64_t side = kernels::syrk_layout(update, machine).block();
      side != triangle_problem::block)
    throw invalid_argument(message("its array stores triangles in blocks of ", side, ", not of ",
                                   triangle_problem::block));
  return kernels::syrk_kernel(update, machine);
}

sized_kernel energies(const pair_energy_problem& p, const precision_options& how,
                      const machine_spec& machine) {
  if (p.function == pair_function::energies)
    return kernels::mp2_energy_kernel(p, machine, {.precision = how});
  kernels_detail::check_precision("mp2_gradient_kernel", how);
  return kernels::mp2_gradient_kernel(p, machine, products_in(how));
}

divided_work divided(const pair_energy_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  if (p.function != pair_function::energies)
    return {.refusal = "gradients of energies are not divided among cores"};
  const auto [how, whole] = chosen(p, precision, on.machine());
  const auto pairs = std::make_shared<const kernels::sharded_mp2>(
      on, p, kernels::mp2_energy_kernel_options{.precision = how}, mode);
  divided_work work{.recipe = pairs->design().explain(),
                    .relative_error = whole.expected_error,
                    .inputs = whole.inputs,
                    .outputs = whole.outputs};
  work.run = [pairs, mode](const std::vector<engine::launch_input>& in,
                           const std::vector<engine::launch_output>& out) {
    const auto spin = [&](std::size_t s) {
      return kernels::mp2_group_operands{in[3 * s], in[3 * s + 1], in[3 * s + 2]};
    };
    const std::vector<double> sums =
        pairs->energies(spin(0), in.size() > 3 ? std::optional(spin(1)) : std::nullopt);
    if (mode == engine::run_mode::dry_run) return;
    const std::vector<float> energies(sums.begin(), sums.end());
    engine_detail::scatter(std::as_bytes(std::span(energies)).data(), out[0]);
  };
  return work;
}

}  // namespace

const operation_row<contraction_problem>& row_of(const contraction_problem&) {
  static const operation_row<contraction_problem> row{.name = "contraction_kernel",
                                                      .kernel = contracted,
                                                      .modes = products<contraction_problem>,
                                                      .divided = divided};
  return row;
}

const operation_row<gemm_problem>& row_of(const gemm_problem&) {
  static const operation_row<gemm_problem> row{
      .name = "gemm_kernel",
      .kernel = multiplied,
      .modes = products<gemm_problem>,
      .refusal = [](const gemm_problem& p) -> std::string {
        return p.is_complex && p.batch > 1 && p.shared_left && p.shared_right
                   ? "complex products of a batch that are all the same are one product"
                   : "";
      },
      .divided =
          [](const gemm_problem& p, const precision_options& precision, engine::device_group& on,
             engine::run_mode mode) { return divided(contraction_of(p), precision, on, mode); }};
  return row;
}

const operation_row<triangle_problem>& row_of(const triangle_problem&) {
  static const operation_row<triangle_problem> row{
      .name = "triangle_kernel",
      .kernel = triangular,
      .refusal = [](const triangle_problem& p) -> std::string {
        if (p.is_complex) return "its kernel takes real matrices";
        if (!std::isfinite(p.alpha) || !std::isfinite(p.beta))
          return message("its kernel takes finite factors, alpha is ", p.alpha, ", beta ", p.beta);
        return {};
      }};
  return row;
}

const operation_row<pair_energy_problem>& row_of(const pair_energy_problem& p) {
  static const auto row_named = [](const char* name) {
    return operation_row<pair_energy_problem>{
        .name = name,
        .kernel = energies,
        .modes = [](const pair_energy_problem& of) -> const kernel_modes& {
          return of.function == pair_function::energies ? modes_of_energies : modes_of_products;
        },
        .divided = divided};
  };
  static const operation_row<pair_energy_problem> of_energies = row_named("mp2_energy_kernel"),
                                                  of_gradients = row_named("mp2_gradient_kernel");
  return p.function == pair_function::energies ? of_energies : of_gradients;
}

const operation_row<integral_transform_problem>& row_of(const integral_transform_problem&) {
  using problem = integral_transform_problem;
  static const operation_row<problem> row{
      .name = "ao_to_mo_kernel",
      .kernel =
          [](const problem& p, const precision_options& how, const machine_spec& machine) {
            return kernels::ao_to_mo_kernel(
                p, machine, {.layout = kernels::integral_layout::iap, .precision = how});
          },
      .modes = [](const problem&) -> const kernel_modes& { return modes_of_integrals; }};
  return row;
}

const operation_row<product_problem>& row_of(const product_problem&) {
  static const operation_row<product_problem> row{
      .name = "complex_mask_kernel",
      .kernel = [](const product_problem& p, const precision_options&,
                   const machine_spec& m) { return kernels::complex_mask_kernel(p, m); },
      .refusal =
          [](const product_problem& p) {
            return p.factors.empty() || p.count % p.factors.size() == 0
                       ? std::string()
                       : message("the number of its factors, ", p.factors.size(), ", must divide ",
                                 p.count);
          }};
  return row;
}

const operation_row<layer_problem>& row_of(const layer_problem&) {
  static const operation_row<layer_problem> row{
      .name = "layer_kernel",
      .kernel = [](const layer_problem& p, const precision_options&, const machine_spec& m) {
        return kernels::layer_kernel(p, m);
      }};
  return row;
}

}  // namespace papilio::operations_detail

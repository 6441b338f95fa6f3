// Rows of operations made of products - matrices, triangles, contractions, MP2 - and of functions
// of elements.
#include <cmath>
#include <vector>

#include "kernels/groups/divided_works.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/stage_list.hpp"
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
using namespace kernels_detail;

kernel_modes modes_in_parts(target_choice target, std::initializer_list<precision_options> more,
                            const char* why) {
  std::vector<precision_options> all{{.mode = precision::native},
                                     {.mode = precision::bf16},
                                     {.mode = precision::split_bf16, .parts = 2},
                                     {.mode = precision::split_bf16, .parts = 3}};
  all.insert(all.end(), more);
  return {.all = std::move(all), .target = target, .why = why};
}

const kernel_modes modes_of_products =
    modes_in_parts(target_choice::fastest, {}, ": split_bf16 in 3 parts is as exact as fp32");

namespace {

// Products of matrices have mxfp8 too, which a target error never chooses.
const kernel_modes modes_of_matrices{.all = {{.mode = precision::native},
                                             {.mode = precision::bf16},
                                             {.mode = precision::split_bf16, .parts = 2},
                                             {.mode = precision::split_bf16, .parts = 3},
                                             {.mode = precision::mxfp8}},
                                     .target = target_choice::fastest,
                                     .compared = 4,
                                     .why = ": split_bf16 in 3 parts is as exact as fp32"};

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
  check_precision("contraction_kernel", how);
  return kernels::contraction_kernel(p, machine, products_in(how));
}

divided_work divided(const contraction_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  const int label = kernels::widest_label(p, on.cores());
  return divided_contraction(on, p, label, products_in(chosen(p, precision, on.machine()).mode),
                             mode);
}

// A batch of products as a contraction, bij,bjk->bik with labels b = 0, i = 1, j = 2, k = 3; a
// shared operand has no b.
contraction_problem contraction_of(const gemm_problem& p) {
  const std::vector<int> left = p.shared_left ? std::vector{1, 2} : std::vector{0, 1, 2},
                         right = p.shared_right ? std::vector{2, 3} : std::vector{0, 2, 3};
  return labelled_contraction({p.batch, p.m, p.k, p.n}, {left, right},
                              {{.of = {{0, left}, {1, right}}, .labels = {0, 1, 3}}}, p.is_complex);
}

sized_kernel multiplied(const gemm_problem& p, const precision_options& how,
                        const machine_spec& machine) {
  if (how.mode == precision::mxfp8)
    return kernels::gemm_kernel(p, machine, {.packed = engine::dtype::fp8_e4m3fn_x4});
  if (how.mode != precision::native || (p.is_complex && p.batch > 1))
    return contracted(contraction_of(p), how, machine);
  if (p.is_complex) return kernels::complex_gemm_kernel(p, machine);
  return p.batch == 1 ? kernels::gemm_kernel(p, machine) : kernels::batched_gemm_kernel(p, machine);
}

sized_kernel triangular(const triangle_problem& p, const precision_options&,
                        const machine_spec& machine) {
  switch (p.function) {
    case triangle_function::symm:
      return kernels::symm_kernel(p, machine);
    case triangle_function::trmm:
      return kernels::trmm_kernel(p, machine);
    case triangle_function::trsm:
      return kernels::trsm_kernel(p, machine);
    case triangle_function::syrk:
      break;
  }
  if (const std::int64_t block_rows = kernels::syrk_layout(p, machine).block();
      block_rows != triangle_problem::block)
    throw invalid_argument(message("its array stores triangles in blocks of ", block_rows,
                                   ", not of ", triangle_problem::block));
  return kernels::syrk_kernel(p, machine);
}

sized_kernel energies(const pair_energy_problem& p, const precision_options& how,
                      const machine_spec& machine) {
  if (p.function == pair_function::energies)
    return kernels::mp2_energy_kernel(p, machine, {.precision = how});
  check_precision("mp2_gradient_kernel", how);
  return kernels::mp2_gradient_kernel(p, machine, products_in(how));
}

divided_work divided(const pair_energy_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  if (p.function != pair_function::energies)
    throw device_error("gradients of energies are not divided among cores");
  return divided_energies(on, p, {.precision = chosen(p, precision, on.machine()).mode}, mode);
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
      .modes = [](const gemm_problem&) -> const kernel_modes& { return modes_of_matrices; },
      .refusal = [](const gemm_problem& p) -> std::string {
        return p.is_complex && p.batch > 1 && p.shared_left && p.shared_right
                   ? "complex products of a batch that are all the same are one product"
                   : "";
      },
      .divided = [](const gemm_problem& p, const precision_options& precision,
                    engine::device_group& on, engine::run_mode mode) -> divided_work {
        if (precision.mode == papilio::precision::mxfp8)
          throw device_error("products in mxfp8 are not divided among cores");
        return divided(contraction_of(p), precision, on, mode);
      }};
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
  static const operation_row<layer_problem> row{.name = "layer_kernel",
                                                .kernel = native_kernel<kernels::layer_kernel>};
  return row;
}

}  // namespace papilio::operations_detail

// Integrals over molecular orbitals from those over atomic ones.
//   identity   H_P[n, i] = sum over m of (mn|P) C_occ[m, i],  B_P[i, a] = sum over n of H_P[n, i]
//              C_vir[n, a]; where asked for, B is multiplied by the root of the metric over P
//   layout     integrals are stationary with m on partitions, as HBM has them: H then has n on
//              partitions, as the second sum needs it, so that nothing is transposed
//   bound      DMA, which reads the integrals once; the tensor engine from some 100 occupied
//              orbitals on
#include "papilio/kernels/mp2.hpp"

#include "kernels/ao_to_mo/design.hpp"
#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "kernels/transform/transposition.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;

constexpr const char* ao_to_mo_name = "ao_to_mo_kernel";

void check(const integral_transform_problem& problem, const precision_options& p) {
  checked_size(ao_to_mo_name, "nbasis", problem.nbasis);
  checked_size(ao_to_mo_name, "nocc", problem.nocc);
  checked_size(ao_to_mo_name, "nvir", problem.nvir);
  checked_size(ao_to_mo_name, "naux", problem.naux);
  require_single(ao_to_mo_name, problem.type);
  require(p.target_error == 0, ao_to_mo_name, ": precision must be a mode, got a target error");
  require(
      p.mode == precision::native || p.mode == precision::bf16 || p.mode == precision::split_bf16,
      ao_to_mo_name, ": precision must be native, bf16 or split_bf16");
  require(p.mode != precision::split_bf16 || p.parts == 2, ao_to_mo_name,
          ": precision.parts must be 2, got ", p.parts);
}

tensor_shape output_of(const integral_transform_problem& p, integral_layout layout) {
  const auto nocc = std::int64_t(p.nocc), nvir = std::int64_t(p.nvir), naux = std::int64_t(p.naux);
  switch (layout) {
    case integral_layout::pia:
      return {{naux, nocc, nvir}};
    case integral_layout::ipa:
      return {{nocc, naux, nvir}};
    case integral_layout::iap:
      break;
  }
  return {{nocc, nvir, naux}};
}

// The product with the root of the metric. Its rows are auxiliary functions, its columns pairs
// (i, a), or a for each i of a batch where i is the slowest axis.
matrix_product product_of(const ao_to_mo_design& s) {
  const bool by_orbital = s.layout == integral_layout::ipa;
  return {.batch_b = by_orbital ? s.nocc : 1,
          .m = s.naux,
          .n = by_orbital ? s.nvir : s.nocc * s.nvir,
          .k = s.naux};
}

// Transforms all parts to `first`, multiplies by the metric's root to `last`, and transposes to
// `out`. A stage that is not needed has its input as its output.
void run(core& nc, const ao_to_mo_design& s, const kernel_arguments& t) {
  const auto from = [](const hbm_view& v, std::int64_t first = 0) {
    const hbm_view flat = v.reshape({v.elements()});
    return flat.slice(0, first, flat.elements() - first);
  };
  const std::int64_t all = s.naux * s.nocc * s.nvir;
  const hbm_view out = from(t.out(0));
  const bool transposed = s.layout == integral_layout::iap;
  const hbm_view last = transposed ? nc.hbm({all}) : out, first = s.metric ? nc.hbm({all}) : last;
  for (const transformed_functions& some : s.parts) {
    const product_chain& c = some.products;
    step_tensors half{.flat = {from(t.in(0), some.first * s.nbasis * s.nbasis), from(t.in(1)), {}}},
        whole{.flat = {hbm_view(), from(t.in(2)), from(first, some.first * strides_of(s).per_p)}};
    if (!some.through_hbm) {
      run_chain(nc, c, half, whole);
      continue;
    }
    half.flat[2] = whole.flat[0] = nc.hbm({c.first.plane[2]});
    run_products(nc, c.first, some.apart[0], half);
    run_products(nc, c.second, some.apart[1], whole);
  }
  if (s.metric)
    run_products(nc, s.metric->product.step(), s.metric->how, {.flat = {t.in(3), first, last}});
  if (transposed) transposition_of(1, s.naux, s.nocc * s.nvir).run(nc, last, out, {});
}

}  // namespace

sized_kernel ao_to_mo_kernel(const integral_transform_problem& problem, const machine_spec& machine,
                             const ao_to_mo_kernel_options& options) {
  check(problem, options.precision);
  sized_kernel kernel;
  for (const operand_shape& operand : problem.shapes().in)
    kernel.inputs.push_back({{operand.extents.begin(), operand.extents.end()}});
  kernel.ranges.assign(kernel.inputs.size(), {});
  kernel.outputs = {output_of(problem, options.layout)};
  require_bytes(kernel);
  ao_to_mo_design design = design_ao_to_mo(problem, options, machine);
  if (problem.has_metric) {
    const matrix_product product = product_of(design);
    const product_choice choice = choose_product(ao_to_mo_name, product.step(), machine);
    design.metric = {product, choice.design};
    kernel.chosen_as = choice.chosen_as;
    kernel.compared = choice.compared;
  }
  double bytes = 0;
  for (const tensor_shape& s : kernel.inputs) bytes += double(s.bytes());
  bytes += double(kernel.outputs[0].bytes());
  const double cycles = design.tensor_cycles(machine);
  kernel.expected_error = design.expected_error(machine);
  kernel.program.name = "ao_to_mo";
  return designed(std::move(kernel), design, machine,
                  [bytes, cycles](core& nc, const ao_to_mo_design& d, const kernel_arguments& t) {
                    nc.state_floor(bytes, cycles);
                    run(nc, d, t);
                  });
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

namespace {

struct ao_to_mo_request : integral_transform_problem, kernels::ao_to_mo_kernel_options {};

}  // namespace

kernels::catalog_entry ao_to_mo_entry() {
  using kernels::integral_layout;
  using r = ao_to_mo_request;
  return settings<r>{
      number_setting("nbasis", &r::nbasis, "128", "Basis functions"),
      number_setting("nocc", &r::nocc, "16", "Occupied orbitals"),
      number_setting("nvir", &r::nvir, "112", "Virtual orbitals"),
      number_setting("naux", &r::naux, "384", "Auxiliary functions"),
      choice_setting("layout", &r::layout, "Axes of the result: p auxiliary, i occupied, a virtual",
                     {{"pia", integral_layout::pia},
                      {"ipa", integral_layout::ipa},
                      {"iap", integral_layout::iap}}),
      yes_setting("metric", &r::has_metric, "Multiply by the root of the metric"),
      mode_setting(&r::precision, "Precision of the transformations",
                   {precision::native, precision::bf16, precision::split_bf16})}
      .entry("ao_to_mo", "Three-index integrals from atomic to molecular orbitals, in one launch",
             kernels::ao_to_mo_kernel);
}

}  // namespace papilio::kernels_detail

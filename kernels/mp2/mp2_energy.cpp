// MP2 energies from density-fitted integrals in one program: the products T, the denominators and
// the sums of squares are fused, so that T never goes to HBM. pairs.cpp has the identity, the
// layout and the bound; this file checks the problem and makes the kernel.
#include "papilio/kernels/mp2.hpp"

#include <algorithm>

#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/entries.hpp"
#include "kernels/mp2/design.hpp"
#include "kernels/mp2/pairs.hpp"
#include "kernels/parameters.hpp"
#include "kernels/precision_choice.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;

constexpr const char* mp2_energy_name = "mp2_energy";

void check_precision(const precision_options& p) {
  require(p.target_error <= 0, mp2_energy_name, ": precision must be a mode, got a target error");
  require(p.mode != precision::compensated && p.mode != precision::mxfp8, mp2_energy_name,
          ": precision ", describe(p),
          " is not there: native, bf16, bf16_refined and split_bf16 are");
  require(p.mode != precision::split_bf16 || p.parts == 2, mp2_energy_name,
          ": parts must be 2, got ", p.parts);
  require(p.mode != precision::bf16_refined || p.refinements == 1, mp2_energy_name,
          ": refinements must be 1, got ", p.refinements);
}

void check(const pair_energy_problem& problem, const mp2_energy_kernel_options& options) {
  require(problem.function == pair_function::energies, mp2_energy_name,
          ": the function must be energies: others are mp2_gradient_kernel's");
  check_pairs(mp2_energy_name, problem);
  const std::int64_t all = pairs_of(problem);
  require(options.first_pair >= 0 && options.pairs >= 0 && options.first_pair < all &&
              options.pairs <= all - options.first_pair,
          mp2_energy_name, ": pairs must be some of 0 ... ", all - 1, ", got ", options.pairs,
          " from ", options.first_pair, " on");
  require(options.layout != integral_layout::pia, mp2_energy_name,
          ": layout must be ipa or iap, got pia");
  check_precision(options.precision);
}

void add_spin(sized_kernel& kernel, const mp2_design& d, const mp2_spin& spin) {
  const bool transposed = d.layout == integral_layout::iap;
  const std::int64_t nocc = spin.nocc + d.frozen;
  kernel.inputs.push_back(
      {{nocc, transposed ? spin.nvir : d.naux, transposed ? d.naux : spin.nvir}, dtype::fp32});
  kernel.inputs.push_back({{nocc}, dtype::fp32});
  kernel.inputs.push_back({{spin.nvir}, dtype::fp32});
  kernel.ranges.insert(kernel.ranges.end(), {{}, {-2, -0.5F}, {0.1F, 2}});
}

}  // namespace

sized_kernel mp2_energy_kernel(const pair_energy_problem& problem, const machine_spec& machine,
                               const mp2_energy_kernel_options& options) {
  check(problem, options);
  const mp2_design design = design_mp2(problem, options, machine);
  sized_kernel kernel;
  add_spin(kernel, design, design.left);
  if (!design.is_symmetric()) add_spin(kernel, design, design.right);
  kernel.outputs = {{{design.spins == pair_spins::closed_shell ? 2 : 1}, dtype::fp32}};
  require_bytes(kernel);
  double bytes = 0;
  for (const tensor_shape& s : kernel.inputs) bytes += double(s.bytes());
  const double cycles = design.tensor_cycles(machine);
  kernel.expected_error = design.expected_error();
  kernel.repeats = {.unit = "pairs",
                    .count = design.pairs,
                    .least = design.orbitals * design.right.nocc,
                    .part = [problem, options, machine](std::int64_t pairs) {
                      mp2_energy_kernel_options some = options;
                      some.pairs = pairs;
                      return mp2_energy_kernel(problem, machine, some);
                    }};
  kernel.program.name = mp2_energy_name;
  return designed(std::move(kernel), design, machine,
                  [bytes, cycles](core& nc, const mp2_design& d, const kernel_arguments& t) {
                    nc.state_floor(bytes, cycles);
                    run_mp2(nc, d, t);
                  });
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {
namespace {

struct mp2_energy_request : pair_energy_problem, kernels::mp2_energy_kernel_options {};

}  // namespace

kernels::catalog_entry mp2_energy_entry() {
  using kernels::integral_layout;
  using r = mp2_energy_request;
  const settings<r> all =
      settings<r>{}
          .with(mp2_settings())
          .with({choice_setting("layout", &r::layout,
                                "Order of B: [nocc, nvir, naux] or [nocc, naux, nvir]",
                                {{"virtual_auxiliary", integral_layout::iap},
                                 {"auxiliary_virtual", integral_layout::ipa}}),
                 mode_setting(&r::precision, "Precision of T; split_bf16 has two parts",
                              {precision::native, precision::bf16, precision::bf16_refined,
                               precision::split_bf16})});
  kernels::catalog_entry entry = all.entry(
      "mp2_energy", "MP2 energies from density-fitted integrals: product, quotient, sum in one",
      kernels::mp2_energy_kernel);
  entry.time_on_cores =
      all.reading([](const r& request, int cores, const engine::machine_spec& machine,
                     const engine::runtime_spec& runtime, const engine::group_options& group) {
        return kernels::time_sharded_mp2(request, cores, machine, runtime, group, request);
      });
  return entry;
}

}  // namespace papilio::kernels_detail

// MP2 energies, their gradients, and the integrals that they need, as kernels.
#include "engine/device_memory.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/precision_choice.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/mp2.hpp"

namespace papilio::operations_detail {
namespace {

using base_detail::message;

std::string mode_refusal(real_type type, const precision_options& precision) {
  if (std::string why = float_only(type); !why.empty()) return why;
  if (precision.target_error > 0) return {};
  if (precision.mode == papilio::precision::compensated)
    return "its kernel has no compensated products";
  if (precision.mode == papilio::precision::split_bf16 && precision.parts != 2)
    return message("its kernel splits in 2 parts, got ", precision.parts);
  return {};
}

// Of a target error the fastest mode that is expected to meet it.
kernels_detail::chosen_mode in_precision(const char* name, const precision_options& precision,
                                         const kernels_detail::kernel_in_mode& kernel_in,
                                         const engine::machine_spec& machine) {
  if (precision.target_error <= 0) return {precision, kernel_in(precision)};
  constexpr precision_options modes[] = {{.mode = papilio::precision::native},
                                         {.mode = papilio::precision::bf16},
                                         {.mode = papilio::precision::split_bf16}};
  return kernels_detail::cheapest_mode(name, precision.target_error, modes, kernel_in, machine);
}

}  // namespace

std::string refusal_of(const pair_energy_problem& p, const precision_options& precision) {
  if (p.function != pair_function::energies) {
    if (std::string why = float_only(p.type); !why.empty()) return why;
    return products_refusal(precision);
  }
  if (precision.target_error <= 0 && precision.mode == papilio::precision::bf16_refined &&
      precision.refinements != 1)
    return message("its kernel refines once, got ", precision.refinements);
  return mode_refusal(p.type, precision);
}

std::string refusal_of(const integral_transform_problem& p, const precision_options& precision) {
  if (precision.target_error <= 0 && precision.mode == papilio::precision::bf16_refined)
    return "its kernel has native, bf16 and split_bf16";
  return mode_refusal(p.type, precision);
}

namespace {

kernels_detail::chosen_mode chosen(const pair_energy_problem& p, const precision_options& precision,
                                   const engine::machine_spec& machine) {
  if (p.function != pair_function::energies)
    return in_product_mode(
        "mp2_gradient_kernel", precision,
        [&](const precision_options& how) {
          return kernels::mp2_gradient_kernel(p, machine, kernels_detail::products_in(how));
        },
        machine);
  const auto kernel_in = [&](const precision_options& how) {
    return kernels::mp2_energy_kernel(p, machine, {.precision = how});
  };
  return in_precision("mp2_energy_kernel", precision, kernel_in, machine);
}

}  // namespace

kernels::sized_kernel kernel_of(const pair_energy_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  return chosen(p, precision, machine).kernel;
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

kernels::sized_kernel kernel_of(const integral_transform_problem& p,
                                const precision_options& precision,
                                const engine::machine_spec& machine) {
  const auto kernel_in = [&](const precision_options& how) {
    return kernels::ao_to_mo_kernel(p, machine,
                                    {.layout = kernels::integral_layout::iap, .precision = how});
  };
  return in_precision("ao_to_mo_kernel", precision, kernel_in, machine).kernel;
}

}  // namespace papilio::operations_detail

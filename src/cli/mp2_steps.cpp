#include "cli/mp2_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/published/catalog.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/kernels.hpp"

namespace papilio::cli::mp2_verb {
namespace {

using kernels::sized_kernel;
void add_run(mp2_kernels& sum, const sized_kernel& kernel, engine::device& on) {
  const engine::launch_result run = kernels::prepared_kernel(on, kernel, engine::run_mode::dry_run)
                                        .launch({kernel.inputs.begin(), kernel.inputs.end()},
                                                {kernel.outputs.begin(), kernel.outputs.end()});
  const auto active = [&](const char* unit) {
    return run.summary.value(std::string(unit) + "_active_time");
  };
  ++sum.launches;
  sum.seconds += run.device_seconds;
  sum.tensor_seconds += active("tensor_engine");
  sum.vector_seconds += active("vector_engine");
  sum.scalar_seconds += active("scalar_engine");
  sum.dma_seconds += active("dma");
}

mp2_kernels run_of(const sized_kernel& kernel, engine::device& on) {
  mp2_kernels sum;
  add_run(sum, kernel, on);
  return sum;
}

// A kernel of the catalogue with these settings.
sized_kernel kernel_of(const std::string& name, const std::vector<std::string>& settings,
                       const engine::machine_spec& machine) {
  return kernels::size_kernel(kernels::published::find_any(name), settings, machine);
}

std::string setting_text(const char* name, std::int64_t value) {
  return fmt::format("{}={}", name, value);
}

// Products and energies of some i at a time, as many as T of all their j lies in HBM beside B.
void run_unfused(const mp2_sizes& s, engine::device& on, mp2_kernels& products,
                 mp2_kernels& energies) {
  constexpr double usable = 0.9;
  const double b_bytes = 4.0 * double(s.nocc) * double(s.nvir) * double(s.naux),
               row_bytes = 4.0 * double(s.nvir) * double(s.nocc) * double(s.nvir),
               room = usable * double(on.machine().hbm.usable_bytes_per_core) - b_bytes;
  const auto most = std::clamp<std::int64_t>(std::int64_t(room / row_bytes), 1, s.nocc);
  mp2_kernels of_product, of_energy;
  for (std::int64_t i = 0, sized = 0; i < s.nocc; i += most) {
    const std::int64_t count = std::min(most, s.nocc - i);
    if (count != sized) {
      of_product = run_of(kernels::gemm_kernel({.m = std::size_t(count * s.nvir),
                                                .k = std::size_t(s.naux),
                                                .n = std::size_t(s.nocc * s.nvir)},
                                               on.machine()),
                          on);
      of_energy = run_of(kernel_of("published/mp2_energy",
                                   {setting_text("ic", count), setting_text("nocc", s.nocc),
                                    setting_text("nvir", s.nvir)},
                                   on.machine()),
                         on);
      sized = count;
    }
    for (const auto& [sum, one] : {std::pair{&products, &of_product}, {&energies, &of_energy}}) {
      sum->launches += one->launches;
      sum->seconds += one->seconds;
      sum->tensor_seconds += one->tensor_seconds;
      sum->vector_seconds += one->vector_seconds;
      sum->scalar_seconds += one->scalar_seconds;
      sum->dma_seconds += one->dma_seconds;
    }
  }
}

double host_seconds(const operation& what) {
  return estimate_on_host(what, {.where = policy::host}, host_roofline()).seconds;
}

}  // namespace

mp2_totals mp2_steps::totals() const {
  mp2_totals t;
  for (const mp2_step& step : steps) {
    t.host += step.host_seconds;
    if (step.unfused) {
      t.unfused += step.unfused->seconds;
      t.unfused_launches += step.unfused->launches;
    }
    if (step.fused) {
      t.fused += step.fused->seconds;
      t.fused_launches += step.fused->launches;
    }
  }
  return t;
}

engine::amdahl_report mp2_steps::amdahl() const {
  const mp2_step &transformation = steps[0], &product = steps[1], &energy = steps[2];
  return engine::amdahl_report(
      {{transformation.name, transformation.unfused->seconds, transformation.fused->seconds},
       {"GEMM and energy", product.unfused->seconds + energy.unfused->seconds,
        energy.fused->seconds}});
}

mp2_steps steps_of_mp2(const mp2_sizes& s, const engine::machine_spec& machine,
                       const engine::runtime_spec& runtime) {
  engine::device on(machine, runtime);
  mp2_steps all{.machine = machine.name,
                .runtime = runtime.name,
                .sizes = s,
                .steps = {{.name = "AO->MO"}, {.name = "GEMM"}, {.name = "energy"}},
                .launch_seconds = runtime.launch_us * 1e-6};
  mp2_step &transformation = all.steps[0], &product = all.steps[1], &energy = all.steps[2];
  const std::vector<std::string> sizes{setting_text("nbasis", s.nbf), setting_text("nocc", s.nocc),
                                       setting_text("nvir", s.nvir), setting_text("naux", s.naux)};
  transformation.unfused = run_of(kernel_of("published/ao_to_mo", sizes, machine), on);
  const auto u = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const integral_transform_problem integrals{
      .nbasis = u(s.nbf), .nocc = u(s.nocc), .nvir = u(s.nvir), .naux = u(s.naux)};
  transformation.fused = run_of(
      kernels::ao_to_mo_kernel(integrals, machine, {.layout = kernels::integral_layout::ipa}), on);
  product.unfused = energy.unfused = mp2_kernels{};
  run_unfused(s, on, *product.unfused, *energy.unfused);
  energy.fused =
      run_of(kernels::mp2_energy_kernel({.nocc = u(s.nocc), .nvir = u(s.nvir), .naux = u(s.naux)},
                                        machine, {.layout = kernels::integral_layout::ipa}),
             on);
  transformation.host_seconds = host_seconds(integrals);
  product.host_seconds = host_seconds(gemm_problem{
      .batch = u(s.nocc) * (u(s.nocc) + 1) / 2, .m = u(s.nvir), .k = u(s.naux), .n = u(s.nvir)});
  const double pairs = double(s.nocc) * double(s.nocc + 1) / 2;
  energy.host_seconds =
      modelled_seconds(current_host(), real_type::single_precision,
                       copy_work(2 * pairs * double(s.nvir) * double(s.nvir), 4, false), 0);
  return all;
}

}  // namespace papilio::cli::mp2_verb

#include "device_side.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "host_side.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/kernels.hpp"
#include "papilio/kernels/published/fused_mp2.hpp"

namespace papilio::bench {
namespace {

using engine::launch_result;

// Sizes that operations which grow alike are compared at.
constexpr std::size_t key_size = 4096;

device_estimate estimate_of(const operation& what, const engine::device& on) {
  return backend_of("bench/run", on).estimate(what, {}, on);
}

launch_result dry_launch(engine::device& on, const kernels::sized_kernel& kernel) {
  return kernels::prepared_kernel(on, kernel, engine::run_mode::dry_run)
      .launch({kernel.inputs.begin(), kernel.inputs.end()},
              {kernel.outputs.begin(), kernel.outputs.end()});
}

// As many results as the crossover found; 0 where the device never wins.
crossing crossing_of(const crossover& c, std::size_t situation_index) {
  const crossover::turn& t = c.turns[situation_index];
  return {.device_wins = t.device_wins.value_or(0), .host_wins = t.host_wins};
}

template <class T>
view<T, 3> transposed_if(bool is_transposed, T* data, std::size_t batch, std::size_t rows,
                         std::size_t columns) {
  if (!is_transposed) return view<T, 3>(data, {batch, rows, columns});
  const auto step = static_cast<std::ptrdiff_t>(rows);
  return view<T, 3>(data, {batch, rows, columns},
                    {step * static_cast<std::ptrdiff_t>(columns), 1, step});
}

double relative_difference(std::span<const float> x, std::span<const double> exact) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error += std::pow(static_cast<double>(x[i]) - exact[i], 2);
    norm += exact[i] * exact[i];
  }
  return std::sqrt(error / norm);
}

// E is float or complex<float>, of the operands; O of the result.
template <class E, class O>
void run_on_device(const page_row& row, host_operation<float>& x, engine::device& on) {
  constexpr bool is_complex = !std::is_same_v<E, float>;
  const operand_shapes shapes = shapes_of(*row.what);
  auto* const left = reinterpret_cast<const E*>(x.left.data());
  auto* const right = reinterpret_cast<const E*>(x.right.data());
  view<const E, 3> a(left, {1, 1, count_of(shapes.in[0])}), b(left, {1, 1, 1});
  if (const auto* const p = std::get_if<gemm_problem>(&*row.what)) {
    a = transposed_if(row.transpose_a, left, p->batch, p->m, p->k);
    b = transposed_if(row.transpose_b, right, p->batch, p->k, p->n);
  } else if (shapes.in.size() > 1) {
    b = view<const E, 3>(right, {1, 1, count_of(shapes.in[1])});
  }
  const view<O, 3> c(reinterpret_cast<O*>(x.out.data()), {1, 1, count_of(shapes.out[0])});
  std::vector<device_input> in{{untyped_view<const void>(a), is_complex}};
  if (shapes.in.size() > 1) in.push_back({untyped_view<const void>(b), is_complex});
  const std::vector<device_output> out{{untyped_view<void>(c), !std::is_same_v<O, float>}};
  run_on("bench/run", on, *row.what, {}, in, out);
}

}  // namespace

device_side::device_side(const std::string& machine, const std::string& runtime)
    : device_(engine::load_machine(machine), engine::load_runtime(runtime)) {}

void device_side::model(const page_row& row, result_row& to) {
  if (row.what) model_operation(row, to);
  if (row.fused_mp2) model_fused_mp2(*row.fused_mp2, to);
  if (row.energy_step) model_energy_step(*row.energy_step, to);
}

void device_side::model_operation(const page_row& row, result_row& to) {
  const device_estimate e = estimate_of(*row.what, device_);
  const auto times = static_cast<double>(row.iterations);
  to.recipe = e.recipe;
  to.device_launch = times * e.launch_seconds;
  to.device_copies = e.upload_seconds + e.fetch_seconds;
  to.device_program = times * e.device_seconds;
  to.device_warm = *to.device_launch + *to.device_copies + *to.device_program;
  to.device_resident = times * e.resident_seconds();
  to.device_cold = *to.device_warm + e.cold_seconds;
  if (e.relative_error > 0) to.expected_error = e.relative_error;
  if (row.iterations == 1) add_crossings(*row.what, to);
}

void device_side::model_fused_mp2(const mp2_sizes& s, result_row& to) {
  const kernels::sized_kernel kernel = kernels::published::fused_mp2_kernel(
      {.nocc = s.nocc, .nvir = s.nvir, .naux = s.naux}, device_.machine());
  const launch_result r = dry_launch(device_, kernel);
  to.recipe = "the published fused kernel";
  to.device_launch = r.launch_seconds;
  to.device_copies = r.upload.seconds + r.fetch.seconds;
  to.device_program = r.device_seconds;
  to.device_warm = *to.device_launch + *to.device_copies + *to.device_program;
  to.device_resident = *to.device_launch + *to.device_program;
}

// By chunks of i, so that T of one fits: T = B_chunk B^t by our product, which stays, then the
// published energy kernel. B goes to the device once; partial sums come back.
void device_side::model_energy_step(const mp2_sizes& s, result_row& to) {
  constexpr std::int64_t chunk = 8;
  const double chunks = static_cast<double>(s.nocc / chunk);
  const auto rows = static_cast<std::size_t>(s.nocc * s.nvir);
  const device_estimate product =
      estimate_of(gemm_problem{.m = rows / static_cast<std::size_t>(s.nocc / chunk),
                               .k = static_cast<std::size_t>(s.naux),
                               .n = rows},
                  device_);
  const std::vector<std::string> settings{"ic=" + std::to_string(chunk),
                                          "nocc=" + std::to_string(s.nocc),
                                          "nvir=" + std::to_string(s.nvir)};
  const launch_result energy =
      dry_launch(device_, kernels::size_kernel(kernels::find_kernel("published/mp2_energy"),
                                               settings, device_.machine()));
  const double to_device =
      estimate_of(gemm_problem{.m = rows, .k = static_cast<std::size_t>(s.naux), .n = 1}, device_)
          .upload_seconds;
  to.recipe =
      "our product, then the published energy kernel, " + std::to_string(s.nocc / chunk) + " times";
  to.device_launch = chunks * (product.launch_seconds + energy.launch_seconds);
  to.device_copies = to_device + chunks * energy.fetch.seconds;
  to.device_program = chunks * (product.device_seconds + energy.device_seconds);
  to.device_warm = *to.device_launch + *to.device_copies + *to.device_program;
  to.device_resident = *to.device_launch + *to.device_program;
}

void device_side::add_crossings(const operation& what, result_row& to) {
  const auto grown = growth_of(what);
  if (!grown) return;
  const std::string key = grown->parameter + to_string(grown->at(key_size));
  auto at = crossovers_.find(key);
  if (at == crossovers_.end())
    at = crossovers_.emplace(key, crossover_of(what, {.where = policy::automatic, .on = &device_}))
             .first;
  const crossover& c = at->second;
  if (!c.refusal.empty()) return;
  to.grows_by = c.parameter;
  for (std::size_t i = 0; i < situations.size(); ++i) {
    if (situations[i] == situation{false, false}) to.crossing_warm = crossing_of(c, i);
    if (situations[i] == situation{false, true}) to.crossing_resident = crossing_of(c, i);
  }
}

std::optional<double> device_side::executed_error(const page_row& row, double most_flops) {
  if (!row.what || row.iterations > 1 || row.flops > most_flops) return std::nullopt;
  host_operation<float> x(row);
  const operand_shapes shapes = shapes_of(*row.what);
  using complex = std::complex<float>;
  if (!shapes.out[0].is_complex)
    run_on_device<float, float>(row, x, device_);
  else if (shapes.in[0].is_complex)
    run_on_device<complex, complex>(row, x, device_);
  else
    run_on_device<float, complex>(row, x, device_);
  host_operation<double> exact(row);
  exact.run(0);
  return relative_difference(std::as_const(x.out).flat(), std::as_const(exact.out).flat());
}

}  // namespace papilio::bench

#include "device_side.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "host_side.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/signal/host_signals.hpp"

namespace papilio::bench {
namespace {

// Sizes that operations which grow alike are compared at.
constexpr std::size_t key_size = 4096;

device_estimate estimate_of(const operation& what, const engine::device& on) {
  return backend_of("bench/run", on).estimate(what, {}, on);
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
  std::vector<view<const E, 3>> operands;
  for (std::size_t i = 0; i < shapes.in.size(); ++i)
    operands.emplace_back(reinterpret_cast<const E*>(x.in[i].data()),
                          extents_type<3>{1, 1, count_of(shapes.in[i])});
  if (const auto* const p = std::get_if<gemm_problem>(&*row.what)) {
    operands[0] = transposed_if(row.transpose_a, operands[0].data(), p->batch, p->m, p->k);
    operands[1] = transposed_if(row.transpose_b, operands[1].data(), p->batch, p->k, p->n);
  }
  const view<O, 3> c(reinterpret_cast<O*>(x.out.data()), {1, 1, count_of(shapes.out[0])});
  std::vector<device_input> in;
  for (const view<const E, 3>& operand : operands)
    in.push_back({untyped_view<const void>(operand), is_complex});
  const std::vector<device_output> out{{untyped_view<void>(c), !std::is_same_v<O, float>}};
  run_on("bench/run", on, *row.what, {}, in, out);
}

}  // namespace

device_side::device_side(const std::string& machine, const std::string& runtime)
    : device_(engine::load_machine(machine), engine::load_runtime(runtime)) {}

void device_side::model(const page_row& row, result_row& to) {
  if (row.decomposed) return model_decomposition(*row.decomposed, to);
  const device_estimate e = estimate_of(*row.what, device_);
  const auto times = static_cast<double>(row.iterations);
  to.recipe = e.recipe;
  to.device_launch = times * e.launch_seconds;
  to.device_copies = e.upload_seconds + e.fetch_seconds;
  to.device_program = times * e.device_seconds;
  to.device_warm = *to.device_launch + *to.device_copies + *to.device_program;
  to.device_resident = times * e.device_array_seconds();
  to.device_cold = *to.device_warm + e.cold_seconds;
  if (e.relative_error > 0) to.expected_error = e.relative_error;
  if (row.iterations == 1) add_crossings(*row.what, to);
}

// By a run on the emulated device: how many dispatches there are depends on what they find.
void device_side::model_decomposition(const decomposition& of, result_row& to) {
  const auto call = decomposition_call(of);
  const auto record_of = [&](engine::program_start start) {
    engine::device on(device_.machine(), device_.runtime(), {.start = start});
    call({.where = policy::device, .on = &on});
    return last_run();
  };
  const run_record warm = record_of(engine::program_start::warm);
  to.recipe = std::to_string(warm.launches) + " dispatches";
  to.device_launch = warm.launch_seconds;
  to.device_copies = warm.upload_seconds + warm.fetch_seconds;
  to.device_program = warm.device_seconds;
  to.device_warm = warm.seconds();
  to.device_cold = record_of(engine::program_start::cold).seconds();
}

void device_side::add_crossings(const operation& what, result_row& to) {
  const auto grown = growth_of(what);
  if (!grown) return;
  const std::string key = grown->parameter + to_string(grown->at(key_size));
  auto at = crossovers_.find(key);
  if (at == crossovers_.end())
    at = crossovers_
             .emplace(key, crossover_of(what, {.where = policy::automatic, .on = &device_},
                                        host_signals()))
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

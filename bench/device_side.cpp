#include "device_side.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "host_side.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/environment.hpp"
#include "papilio/signal/host_signals.hpp"

namespace papilio::bench {
namespace {

// Sizes that operations which grow alike are compared at.
constexpr std::size_t key_size = 4096;
// Beyond, an operation is not run on the emulated device for its error.
constexpr double most_flops = 3e9;

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
  run_on("papilio_bench_published", on, *row.what, {}, in, out);
}

}  // namespace

device_side::device_side() : device_(make_device("", "")) {}

row device_side::modelled(const page_row& of) {
  row r;
  const double seconds =
      of.decomposed ? add_decomposition(*of.decomposed, r.counters) : add_operation(of, r.counters);
  if (of.what && of.iterations == 1) {
    r.label = add_crossings(*of.what, r.counters);
    if (of.flops <= most_flops) r.counters["error"] = executed_error(of);
  }
  r.label += " | " + of.published_note;
  if (of.flops > 0) r.counters["flop"] = of.flops;
  if (of.published_device) r.counters["published_device_us"] = *of.published_device;
  if (of.published_host) r.counters["published_host_us"] = *of.published_host;
  r.sides = {{"papilio", [=](std::size_t n) { return seconds * static_cast<double>(n); }}};
  return r;
}

double device_side::add_operation(const page_row& of, counters& to) {
  const device_estimate e =
      backend_of("papilio_bench_published", *device_).estimate(*of.what, {}, *device_);
  const auto times = static_cast<double>(of.iterations);
  const double launch = times * e.launch_seconds, copies = e.upload_seconds + e.fetch_seconds,
               program = times * e.device_seconds, warm = launch + copies + program;
  to["launch_us"] = 1e6 * launch;
  to["copies_us"] = 1e6 * copies;
  to["program_us"] = 1e6 * program;
  to["resident_us"] = 1e6 * times * e.device_array_seconds();
  to["cold_us"] = 1e6 * (warm + e.cold_seconds);
  if (e.relative_error > 0) to["expected_error"] = e.relative_error;
  return warm;
}

// By a run on the emulated device: how many dispatches there are depends on what they find.
double device_side::add_decomposition(const decomposition& of, counters& to) {
  const auto call = decomposition_call(of);
  const auto record_of = [&](engine::program_start start) {
    engine::device on(device_->machine(), device_->runtime(), {.start = start});
    call({.where = policy::device, .on = &on});
    return last_run();
  };
  const run_record warm = record_of(engine::program_start::warm);
  to["launch_us"] = 1e6 * warm.launch_seconds;
  to["copies_us"] = 1e6 * (warm.upload_seconds + warm.fetch_seconds);
  to["program_us"] = 1e6 * warm.device_seconds;
  to["cold_us"] = 1e6 * record_of(engine::program_start::cold).seconds();
  return warm.seconds();
}

std::string device_side::add_crossings(const operation& what, counters& to) {
  const auto grown = growth_of(what);
  if (!grown) return {};
  const std::string key = grown->parameter + to_string(grown->at(key_size));
  auto at = crossovers_.find(key);
  if (at == crossovers_.end())
    at = crossovers_
             .emplace(key, crossover_of(what, {.where = policy::automatic, .on = device_.get()},
                                        host_signals()))
             .first;
  const crossover& c = at->second;
  if (!c.refusal.empty()) return {};
  const auto add = [&](const std::string& name, const situation& where) {
    const auto i =
        static_cast<std::size_t>(std::ranges::find(situations, where) - situations.begin());
    to[name + "_device_wins"] = static_cast<double>(c.turns[i].device_wins.value_or(0));
    to[name + "_host_wins"] = static_cast<double>(c.turns[i].host_wins);
  };
  add("warm", {false, false});
  add("resident", {false, true});
  return c.parameter;
}

double device_side::executed_error(const page_row& of) {
  host_operation<float> x(of);
  const operand_shapes shapes = shapes_of(*of.what);
  using complex = std::complex<float>;
  if (!shapes.out[0].is_complex)
    run_on_device<float, float>(of, x, *device_);
  else if (shapes.in[0].is_complex)
    run_on_device<complex, complex>(of, x, *device_);
  else
    run_on_device<float, complex>(of, x, *device_);
  host_operation<double> exact(of);
  exact.run(0);
  return relative_difference(std::as_const(x.out).flat(), std::as_const(exact.out).flat());
}

}  // namespace papilio::bench

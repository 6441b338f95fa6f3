#include "papilio/kernels/fft.hpp"

#include <algorithm>

#include "kernels/entries.hpp"
#include "kernels/fft/fft_design.hpp"
#include "kernels/fft/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

sized_kernel in_its_mode(const fft_shape& shape, const machine_spec& machine) {
  if (shape.precision.target_error > 0) return cheapest_fft(shape, machine).kernel;
  switch (shape.precision.mode) {
    case precision::bf16_refined:
      return refined_fft(shape, machine);
    case precision::compensated:
      return compensated_fft(shape, machine);
    case precision::native:
    case precision::bf16:
    case precision::split_bf16:
      break;
  }
  return single_fft(shape, machine);
}

}  // namespace

sized_kernel fft_kernel(const fft_shape& shape, const machine_spec& machine) {
  check_precision("fft_kernel", shape.precision);
  sized_kernel sized = in_its_mode(shape, machine);
  sized.machine = machine;
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::sized_kernel single_fft(const kernels::fft_shape& shape,
                                 const engine::machine_spec& machine) {
  const fft_recipe recipe = design_fft(shape, machine);
  kernels::sized_kernel sized = empty_fft(shape);
  sized.tables = recipe.tables();
  sized.repeats = recipe.repeats();
  sized.explanation =
      base_detail::message("precision: ", describe(shape.precision), "\n", recipe.text());
  sized.expected_error = recipe.expected_error();
  sized.program.parameters = program_key(shape, sized.explanation);
  const std::int64_t elements = sized.inputs[0].elements();
  const double floor_bytes = recipe.floor_bytes(machine, recipe.floor_sweeps());
  sized.program.body = [recipe, elements, floor_bytes](engine::core& nc,
                                                       const engine::kernel_arguments& t) {
    nc.state_floor(floor_bytes, 0);
    recipe.run(nc, t.in(0).reshape({elements}), t.out(0).reshape({elements}), t, 1);
  };
  return sized;
}

namespace {

std::vector<std::string> mode_names() {
  return {"native", "bf16", "bf16_refined", "split_bf16", "compensated"};
}

precision mode_of(const std::string& name) {
  const std::vector<std::string> all = mode_names();
  return precision(std::ranges::find(all, name) - all.begin());
}

kernels::fft_shape shape_of(const kernels::parameter_values& values) {
  using namespace kernels;
  const auto small = [&](const char* name) {
    return int(std::min<std::int64_t>(number_of(values, name), 1000));
  };
  return {
      .extents = {number_of(values, "batch"), number_of(values, "n"), number_of(values, "inner")},
      .axes = {1},
      .inverse = values.at("direction") == "inverse",
      .precision = {.mode = mode_of(values.at("precision")),
                    .refinements = small("refinements"),
                    .parts = small("parts"),
                    .target_error = decimal_of(values, "target_error")}};
}

kernels::fft_shape checked_shape(const kernels::parameter_values& values) {
  kernels::fft_shape shape = shape_of(values);
  kernels_detail::check_precision("fft", shape.precision);
  return shape;
}

}  // namespace

kernels::catalog_entry fft_entry() {
  using namespace kernels;
  return {.name = "fft",
          .summary = "Complex FFT of batch lines of n, real and imaginary planes",
          .parameters = {{.name = "n", .preset = "1024", .help = "Length of a line"},
                         {.name = "batch", .preset = "1", .help = "Lines"},
                         {.name = "inner", .preset = "1", .help = "Lines beside each of these"},
                         {.name = "direction",
                          .preset = "forward",
                          .help = "Sign of the exponent",
                          .choices = {"forward", "inverse"}},
                         {.name = "precision",
                          .preset = "native",
                          .help = "How products are computed",
                          .choices = mode_names()},
                         {.name = "refinements", .preset = "1", .help = "Of bf16_refined, 1 or 2"},
                         {.name = "parts", .preset = "2", .help = "Of split_bf16, 2 or 3"},
                         {.name = "target_error",
                          .preset = "0",
                          .help = "Above 0: the fastest precision expected to meet it",
                          .least = 0,
                          .decimal = true}},
          .size =
              [](const parameter_values& values, const engine::machine_spec& machine) {
                return fft_kernel(checked_shape(values), machine);
              },
          .time_on_cores =
              [](const parameter_values& values, int cores, const engine::machine_spec& machine,
                 const engine::runtime_spec& runtime, const engine::group_options& options) {
                const fft_shape shape = checked_shape(values);
                if (shape.extents[0] > 1)
                  return time_split_fft(shape, cores, machine, runtime, options);
                if (shape.precision.mode != precision::native)
                  throw invalid_argument(base_detail::message(
                      "fft: one line over several cores has precision native only, got ",
                      values.at("precision")));
                if (shape.extents[2] > 1)
                  throw invalid_argument(base_detail::message(
                      "fft: one line over several cores has inner 1 only, got ", shape.extents[2]));
                return time_large_fft({.n = shape.extents[1], .inverse = shape.inverse}, cores,
                                      machine, runtime, options);
              },
          .measure = [](const parameter_values& values,
                        const engine::machine_spec& machine) -> std::optional<measured_error> {
            const fft_shape shape = checked_shape(values);
            if (shape.precision.target_error == 0) return std::nullopt;
            return measure_error(shape, machine);
          }};
}

kernels::catalog_entry fftn_entry() {
  using namespace kernels;
  return {
      .name = "fftn",
      .summary = "Complex FFT over all axes of x by y by z",
      .parameters = {{.name = "x", .preset = "1", .help = "First extent"},
                     {.name = "y", .preset = "1024", .help = "Second extent"},
                     {.name = "z", .preset = "1024", .help = "Last extent, contiguous"},
                     {.name = "direction",
                      .preset = "forward",
                      .help = "Sign of the exponent",
                      .choices = {"forward", "inverse"}}},
      .size = [](const parameter_values& values, const engine::machine_spec& machine) {
        sized_kernel sized = fft_kernel(
            {.extents = {number_of(values, "x"), number_of(values, "y"), number_of(values, "z")},
             .inverse = values.at("direction") == "inverse"},
            machine);
        sized.program.name = "fftn";
        return sized;
      }};
}

}  // namespace papilio::kernels_detail

#include "papilio/kernels/fft.hpp"

#include "kernels/entries.hpp"
#include "kernels/fft/fft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

sized_kernel fft_kernel(const fft_shape& shape, const machine_spec& machine) {
  const fft_recipe recipe = design_fft(shape, machine);
  sized_kernel sized;
  tensor_shape tensor{{2}};
  tensor.extents.insert(tensor.extents.end(), shape.extents.begin(), shape.extents.end());
  sized.inputs = sized.outputs = {tensor};
  sized.ranges = {{}};
  sized.tables = recipe.tables();
  sized.explanation = recipe.text();
  sized.expected_error = recipe.expected_error();
  const std::int64_t elements = tensor.elements();
  const double floor_bytes = recipe.floor_bytes(machine, recipe.floor_sweeps());
  // Transforms of different axes may have the same text.
  std::string axes;
  for (const int a : shape.axes)
    axes += base_detail::message(" ", a < 0 ? a + int(shape.extents.size()) : a);
  sized.program = {
      .name = "fft",
      .parameters = base_detail::message(shape.inverse ? "inverse " : "forward ", "scale ",
                                         shape.scale, " axes", axes, "\n", sized.explanation),
      .body = [recipe, elements, floor_bytes](core& nc, const kernel_arguments& t) {
        nc.state_floor(floor_bytes, 0);
        recipe.run(nc, t.in(0).reshape({elements}), t.out(0).reshape({elements}), t, 1);
      }};
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry fft_entry() {
  using namespace kernels;
  return {.name = "fft",
          .summary = "Complex FFT of batch lines of n, real and imaginary planes",
          .parameters = {{.name = "n", .preset = "1024", .help = "Length of a line"},
                         {.name = "batch", .preset = "1", .help = "Lines"},
                         {.name = "direction",
                          .preset = "forward",
                          .help = "Sign of the exponent",
                          .choices = {"forward", "inverse"}}},
          .size = [](const parameter_values& values, const engine::machine_spec& machine) {
            return fft_kernel({.extents = {number_of(values, "batch"), number_of(values, "n")},
                               .axes = {-1},
                               .inverse = values.at("direction") == "inverse"},
                              machine);
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

// DFT of short lines as a product with one matrix.
//   identity   [re x, im x] times the real form of diag(window) F diag(mask)
//   layout     lines on partitions, several to a partition where they are short; a group of
//              64 points is transposed and is the stationary operand, the matrix moving; above 64
//              points planes are two operands whose products are summed in PSUM
//   bound      DMA up to 64 points (rows of 2 KiB and more); above, the tensor engine: 2 n^2 cycles
//              of a full array for 128 points
#include "papilio/kernels/fft.hpp"

#include <algorithm>

#include "base/roots_of_unity.hpp"
#include "kernels/entries.hpp"
#include "kernels/fft/axis_design.hpp"
#include "kernels/fft/fft_design.hpp"
#include "kernels/fft/precision.hpp"
#include "kernels/fft/recipe.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;
using base_detail::message;

fft_lines checked(const fft_problem& problem, const dft_kernel_options& options,
                  const machine_spec& machine) {
  const fft_lines lines = checked_lines("dft_kernel", problem, {.scale = options.scale});
  if (lines.n > machine.tensor.rows)
    throw invalid_argument(
        message("dft_kernel: n must be 1 to ", machine.tensor.rows, ", got ", lines.n));
  const auto length = [&](const char* name, std::size_t size) {
    if (size != 0 && std::int64_t(size) != lines.n)
      throw invalid_argument(
          message("dft_kernel: ", name, " must have n = ", lines.n, " elements, got ", size));
  };
  length("window", options.window.size());
  length("mask", options.mask.size());
  return lines;
}

struct dft_design {
  bool inverse = false;
  double scale = 1;
  std::vector<float> window = {};
  std::vector<std::complex<float>> mask = {};
  step_designs steps = {};

  auto fields() const { return std::tie(inverse, scale, window, mask, steps); }
  std::string describe() const { return steps.describe(); }
  dft_design without_batch() const { return {inverse, scale, window, mask, steps.without_batch()}; }
};

// As fill_matrices, of one digit without twiddle factors, with the factors of rows and columns.
void fill(const fft_problem& problem, const dft_kernel_options& options, const fft_stage& s,
          std::span<float> out) {
  std::ranges::fill(out, 0.0f);
  const base_detail::roots_of_unity<double> root{std::size_t(s.points)};
  const double scale = scale_of(problem, {.scale = options.scale});
  const std::int64_t c = s.shared.extent, plane = s.points * c, row_length = s.matrix_columns();
  for (std::int64_t j = 0; j < s.points; ++j)
    for (std::int64_t k = 0; k < s.points; ++k) {
      std::complex<double> w = root(std::size_t(j * k % s.points));
      if (problem.is_inverse()) w = std::conj(w);
      w *= scale;
      if (!options.window.empty()) w *= double(options.window[std::size_t(j)]);
      if (!options.mask.empty()) w *= std::complex<double>(options.mask[std::size_t(k)]);
      for (std::int64_t i = 0; i < c; ++i) {
        const std::int64_t row = j * c + i, column = k * c + i;
        const auto put = [&](std::int64_t r, std::int64_t at, double value) {
          out[std::size_t(r * row_length + at)] = static_cast<float>(value);
        };
        put(row, column, w.real());
        put(row, plane + column, w.imag());
        const std::int64_t second = s.planes_apart ? row : plane + row,
                           shift = s.planes_apart ? s.reals() : 0;
        put(second, shift + column, -w.imag());
        put(second, shift + plane + column, w.real());
      }
    }
}

}  // namespace

sized_kernel dft_kernel(const fft_problem& problem, const machine_spec& machine,
                        const dft_kernel_options& options) {
  const fft_lines lines = checked(problem, options, machine);
  fft_recipe recipe;
  const std::int64_t elements = 2 * lines.batch * lines.n;
  std::vector<fft_pass> passes = row_passes(lines.batch, lines.n, 1, {lines.n}, {}, machine);
  for (fft_pass& pass : passes) {
    plan_pass(pass, machine);
    const fft_stage stage = pass.stages[0];
    recipe.steps.push_back(step_of(std::move(pass), elements));
    recipe.steps.back().tables[0].fill = [problem, options, stage](std::span<float> out) {
      fill(problem, options, stage, out);
    };
  }
  sized_kernel sized = empty_fft(problem);
  sized.tables = recipe.tables();
  sized.design =
      design_of(dft_design{problem.is_inverse(), scale_of(problem, {.scale = options.scale}),
                           options.window, options.mask, recipe.design()});
  sized.expected_error = recipe.expected_error();
  const double floor_bytes = recipe.floor_bytes(machine, 1);
  sized.program = {.name = "dft",
                   .parameters = sized.design.key(),
                   .body = [recipe, elements, floor_bytes](core& nc, const kernel_arguments& t) {
                     nc.state_floor(floor_bytes, 0);
                     recipe.run(nc, t.in(0).reshape({elements}), t.out(0).reshape({elements}), t,
                                1);
                   }};
  sized.machine = machine;
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry dft_entry() {
  using namespace kernels;
  return {.name = "dft",
          .summary = "DFT of batch lines of n up to 128 by one product, window and mask inside",
          .parameters = {{.name = "n", .preset = "64", .help = "Length of a line"},
                         {.name = "batch", .preset = "128", .help = "Lines"},
                         {.name = "direction",
                          .preset = "forward",
                          .help = "Sign of the exponent",
                          .choices = {"forward", "inverse"}}},
          .size = [](const parameter_values& values, const engine::machine_spec& machine) {
            return dft_kernel(line_batch(values), machine);
          }};
}

}  // namespace papilio::kernels_detail

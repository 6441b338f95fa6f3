// DFT of short lines as a product with the direct DFT matrix.
//   identity   [re x, im x] times the real form of diag(window) F diag(mask)
//   layout     lines are on partitions, several to a partition where they are short, as lines of
//              one digit (lines.hpp); above 64 points the products of two operands are summed in
//              PSUM
//   bound      DMA up to 64 points (rows of 2 KiB and more); above, the tensor engine: 2 n^2 cycles
//              of a full array for 128 points
#include "papilio/kernels/fft.hpp"

#include <algorithm>

#include "kernels/entries.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/precision.hpp"
#include "kernels/transform/recipe.hpp"
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

}  // namespace

sized_kernel dft_kernel(const fft_problem& problem, const machine_spec& machine,
                        const dft_kernel_options& options) {
  const fft_lines lines = checked(problem, options, machine);
  lines_problem what{.outer = lines.batch,
                     .n = lines.n,
                     .inverse = problem.is_inverse(),
                     .scale = scale_of(problem, {.scale = options.scale})};
  std::vector<std::complex<double>>&before = what.inverse ? what.bin_factors : what.point_factors,
  &behind = what.inverse ? what.point_factors : what.bin_factors;
  // The transposed matrix conjugates factors of bins, which are the inverse's points.
  before.assign(options.window.begin(), options.window.end());
  for (const std::complex<float>& m : options.mask)
    behind.push_back(what.inverse ? std::conj(m) : m);
  fft_recipe recipe{{direct_lines_step(what, machine).value()}};
  sized_kernel sized = empty_fft(problem);
  sized.program.name = "dft";
  sized.design =
      design_of(dft_design{problem.is_inverse(), scale_of(problem, {.scale = options.scale}),
                           options.window, options.mask, recipe.design()});
  sized = kernel_of(std::move(recipe), std::move(sized), machine, 1);
  sized.machine = machine;
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry dft_entry() {
  using r = line_request;
  return settings<r>{number_setting("n", &r::n, "64", "Length of a line"),
                     number_setting("batch", &r::batch, "128", "Lines"), direction_setting(&r::dir)}
      .entry("dft", "DFT of batch lines of n up to 128 by one product, window and mask inside",
             [](const r& request, const engine::machine_spec& machine) {
               return kernels::dft_kernel(request.lines(), machine);
             });
}

}  // namespace papilio::kernels_detail

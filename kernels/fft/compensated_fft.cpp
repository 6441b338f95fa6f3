// Compensated transforms: the vector engine's butterflies with two-products and two-sums.
#include "kernels/butterfly/butterfly_passes.hpp"
#include "kernels/fft/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

using base_detail::message;

kernels::sized_kernel compensated_fft(const fft_problem& problem,
                                      const kernels::fft_kernel_options& options,
                                      const engine::machine_spec& machine) {
  if (!problem.is_complex())
    throw invalid_argument(
        "fft_kernel: precision.mode compensated transforms complex numbers: what makes real lines "
        "of "
        "them rounds as native does");
  const fft_lines lines = lines_of(problem);
  if (!lines.only)
    throw invalid_argument(
        "fft_kernel: precision.mode compensated transforms the last axis and no other");
  if (!kernels::butterfly_fft_fits(lines.n, machine, true)) {
    std::int64_t too_large = 0;
    butterfly_radices(lines.n, too_large);
    throw invalid_argument(
        too_large > 0 ? message("fft_kernel: precision.mode compensated needs prime factors of up "
                                "to 31, got ",
                                lines.n, " with ", too_large)
                      : message("fft_kernel: precision.mode compensated needs lines that fit SBUF "
                                "four times, got ",
                                lines.n, " points"));
  }
  kernels::sized_kernel sized = kernels::butterfly_fft_kernel(problem, machine, options);
  sized.program.name = "fft";
  sized.design =
      design_of(fft_design{.mode = precision::compensated, .forward = std::move(sized.design)});
  sized.program.parameters = sized.design.key();
  return sized;
}

}  // namespace papilio::kernels_detail

// Compensated transforms: the vector engine's butterflies with two-products and two-sums.
#include "kernels/butterfly_passes.hpp"
#include "kernels/fft/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

using base_detail::message;

kernels::sized_kernel compensated_fft(const kernels::fft_shape& shape,
                                      const engine::machine_spec& machine) {
  const fft_lines lines = lines_of(shape);
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
  const kernels::sized_kernel butterfly = kernels::butterfly_fft_kernel({.batch = lines.batch,
                                                                         .n = lines.n,
                                                                         .inverse = shape.inverse,
                                                                         .scale = shape.scale,
                                                                         .compensated = true},
                                                                        machine);
  kernels::sized_kernel sized = empty_fft(shape);
  sized.tables = butterfly.tables;
  sized.explanation = "precision: compensated\n" + butterfly.explanation;
  sized.expected_error = butterfly.expected_error;
  sized.program.parameters = message("compensated ", butterfly.program.parameters);
  sized.program.body = [butterfly, lines](engine::core& nc, const engine::kernel_arguments& t) {
    const auto as_lines = [&](const engine::hbm_view& v) {
      return v.reshape({2, lines.batch, lines.n});
    };
    std::vector<engine::hbm_view> in{as_lines(t.in(0))};
    for (std::size_t i = 0; i < butterfly.tables.size(); ++i) in.push_back(t.in(i + 1));
    butterfly.program.body(nc, {std::move(in), {as_lines(t.out(0))}});
  };
  return sized;
}

}  // namespace papilio::kernels_detail

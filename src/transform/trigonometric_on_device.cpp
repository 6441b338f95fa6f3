// Cosine and sine transforms of arrays that lie on an accelerator.
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/transform/device_run.hpp"
#include "papilio/transform/trigonometric.hpp"

namespace papilio::transform_detail {

shared_tensor trigonometric_on_device(const device_call& c, const transform_form& form,
                                      const shared_tensor& x, const grid_axes& grid) {
  if (grid.is_repeated)
    throw invalid_argument(
        base_detail::message(c.function, ": axes must be distinct, got one of them twice"));
  for (const std::size_t n : grid.lengths)
    require_trigonometric_type(c.function, form.trigonometric_type, n,
                               form.kind == fft_kind::cosine);
  std::vector<std::size_t> extents = x->shape().extents;
  for (std::size_t i = 0; i < grid.axes.size(); ++i) extents[grid.axes[i]] = grid.lengths[i];
  const bool is_complex = x->shape().is_complex;
  shared_tensor result = arranged(c, x, extents, is_complex);
  // Real and imaginary parts are the planes of a real array.
  if (is_complex) extents.insert(extents.begin(), 2);
  for (std::size_t i = grid.axes.size(); i-- > 0;) {
    const fft_problem p{.kind = form.kind,
                        .dir = form.dir,
                        .type = real_type::single_precision,
                        .norm = form.norm,
                        .extents = extents,
                        .axes = {grid.axes[i] + (is_complex ? 1 : 0)},
                        .trigonometric_type = form.trigonometric_type,
                        .measured = c.plan_effort == effort::measure};
    result = run_step_as(c, p, c.on.precision, {&result, 1}, result->shape());
  }
  return result;
}

}  // namespace papilio::transform_detail

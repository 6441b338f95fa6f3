// Fourier transforms of whole arrays as kernels.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::operations_detail {
namespace {

// Axes that are not transformed are joined with their neighbours: the same elements in the same
// order.
kernels::fft_shape shape_of(const fft_problem& p) {
  kernels::fft_shape shape{.extents = {}, .scale = p.scale()};
  std::vector<int> place(p.extents.size(), -1);
  bool is_open = false;  // the last extent may be multiplied
  for (std::size_t a = 0; a < p.extents.size(); ++a) {
    const std::int64_t extent = signed_size(p.extents[a]);
    const bool is_transformed = std::ranges::find(p.axes, a) != p.axes.end();
    if (is_transformed) {
      place[a] = static_cast<int>(shape.extents.size());
      shape.extents.push_back(extent);
    } else if (is_open) {
      shape.extents.back() = checked_multiply(shape.extents.back(), extent, "fft: elements");
    } else if (extent > 1) {
      shape.extents.push_back(extent);
    }
    if (extent > 1 || is_transformed) is_open = !is_transformed;
  }
  for (const std::size_t a : p.axes) shape.axes.push_back(place[a]);
  return shape;
}

}  // namespace

std::string refusal_of(const fft_problem& p, const precision_options& precision) {
  if (p.type != real_type::single_precision)
    return base_detail::message("it computes in float, the operands are ", to_string(p.type));
  if (p.measured) return "nothing is timed on it: effort::measure is the host's";
  if (p.is_trigonometric()) return trigonometric_refusal(p, precision);
  if (p.axes.empty()) return "the transform has no axes";
  if (p.kind == fft_kind::real)
    if (std::string why = native_only(precision); !why.empty()) return why;
  if (shape_of(p).extents.size() > most_axes_of_kernels)
    return base_detail::message("its kernels take at most ", most_axes_of_kernels,
                                " axes, those that are not transformed joined where they adjoin");
  return {};
}

kernels::sized_kernel kernel_of(const fft_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  if (p.is_trigonometric()) return trigonometric_kernel(p, machine);
  kernels::fft_shape shape = shape_of(p);
  if (p.is_real(direction::forward)) return kernels::rfft_kernel(shape, machine);
  if (p.is_real(direction::inverse)) return kernels::irfft_kernel(shape, machine);
  shape.inverse = p.is_inverse();
  shape.precision = precision;
  return kernels::fft_kernel(shape, machine);
}

}  // namespace papilio::operations_detail

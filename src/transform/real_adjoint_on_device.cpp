// Adjoints of real transforms on an accelerator: what stands for its mirror image too counts twice
// in an inverse transform, which its adjoint does not.
#include <array>
#include <complex>
#include <vector>

#include "papilio/transform/device_run.hpp"

namespace papilio::transform_detail {

shared_tensor real_adjoint_on_device(const device_call& c, direction of, normalization norm,
                                     const shared_tensor& gradient, std::size_t axis,
                                     std::size_t n) {
  std::vector<std::complex<double>> weights(n / 2 + 1, of == direction::forward ? 0.5 : 2.0);
  weights.front() = 1;
  if (n % 2 == 0) weights.back() = 1;
  std::vector<std::size_t> extents = gradient->shape().extents;
  extents[axis] = n;
  const std::array axes{axis};
  const auto transform = [&](direction dir, const shared_tensor& x) {
    return transform_on_device(c, {fft_kind::real, dir, swapped(norm)}, x, extents, axes);
  };
  if (of == direction::forward)
    return transform(direction::inverse, multiplied(c, gradient, axis, weights));
  return multiplied(c, transform(direction::forward, gradient), axis, weights);
}

}  // namespace papilio::transform_detail

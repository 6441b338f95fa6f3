// The chirp z-transform of an array that lies on an accelerator: a cyclic convolution between two
// products with tables, its filter's spectrum a third. Tables are computed in double on the host.
#include <array>
#include <complex>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/fft/fft_plan.hpp"
#include "papilio/transform/device_run.hpp"
#include "papilio/transform/frequencies.hpp"

namespace papilio::transform_detail {

shared_tensor multiplied(const device_call& c, const shared_tensor& x, std::size_t axis,
                         std::span<const std::complex<double>> factors) {
  const operand_shape& shape = x->shape();
  std::size_t inner = 1;
  for (std::size_t a = axis + 1; a < shape.extents.size(); ++a) inner *= shape.extents[a];
  product_problem p{.count = shape.count()};
  for (const std::complex<double>& f : factors)
    p.factors.insert(p.factors.end(), inner, std::complex<float>(f));
  p.factors.resize(shape.extents[axis] * inner);
  return run_step_as(c, p, {}, {&x, 1}, shape);
}

namespace {

using sizes = std::vector<std::size_t>;

sizes with(sizes extents, std::size_t axis, std::size_t n) {
  extents[axis] = n;
  return extents;
}

}  // namespace

shared_tensor czt_on_device(const device_call& c, const shared_tensor& x,
                            const czt_options& options) {
  const sizes extents = x->shape().extents;
  const std::size_t axis = checked_axis(c.function, options.axis, extents.size());
  const czt_factors<double> factors = make_czt_factors<double>(c.function, extents[axis], options);
  const std::size_t m = factors.out.size(), padded = factors.filter.size();
  array<std::complex<double>, 1> filter(padded);
  fft_plan<double>(padded).execute(factors.filter.flat(), filter.flat());

  const sizes wide = with(extents, axis, padded);
  const auto transform = [&](direction dir, const shared_tensor& t) {
    return transform_on_device(c, {fft_kind::complex, dir, normalization::backward}, t, wide,
                               std::array{axis});
  };
  shared_tensor work = multiplied(c, arranged(c, x, wide, true), axis, factors.in.flat());
  work = transform(direction::forward, work);
  work = multiplied(c, work, axis, filter.flat());
  work = transform(direction::inverse, work);
  work = arranged(c, work, with(extents, axis, m), true);
  return multiplied(c, work, axis, factors.out.flat());
}

}  // namespace papilio::transform_detail

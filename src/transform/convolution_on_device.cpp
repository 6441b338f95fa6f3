// Convolutions of arrays that lie on an accelerator: transforms of the padded operands, their
// product, the inverse, and what the mode keeps of it.
#include <algorithm>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/transform/device_run.hpp"

namespace papilio::transform_detail {

namespace {

using sizes = std::vector<std::size_t>;

// An arrangement looks at all pairs of its boxes: more copies are made of copies.
constexpr std::size_t most_copies = 64;

// Along an axis of extent 1, as often as the extents say.
shared_tensor repeated(const device_call& c, shared_tensor x, const sizes& extents) {
  for (std::size_t a = 0; a < extents.size(); ++a)
    while (x->shape().extents[a] != extents[a]) {
      const operand_shape& shape = x->shape();
      const std::size_t now = shape.extents[a];
      const std::size_t next = now > extents[a] / most_copies ? extents[a] : now * most_copies;
      arrangement_problem p{.in_extents = shape.extents,
                            .out_extents = shape.extents,
                            .complex_in = shape.is_complex,
                            .complex_out = shape.is_complex,
                            .boxes = {}};
      p.out_extents[a] = next;
      for (std::size_t at = 0; at < next; at += now) {
        arrangement_problem::box copy{sizes(extents.size(), 0), sizes(extents.size(), 0),
                                      shape.extents};
        copy.to[a] = at;
        copy.extents[a] = std::min(now, next - at);
        p.boxes.push_back(std::move(copy));
      }
      x = run_step(c, p, {}, {&x, 1});
    }
  return x;
}

}  // namespace

shared_tensor convolution_on_device(const device_call& c, const shared_tensor& x,
                                    const shared_tensor& y, convolution_mode mode,
                                    const index_list& axes) {
  const operand_shape &sx = x->shape(), &sy = y->shape();
  const bool is_real = !sx.is_complex && !sy.is_complex;
  const convolution_shape shape =
      checked_convolution(c.function, sx.extents, sy.extents, mode, axes, is_real, false);
  const auto form = [&](direction dir) {
    return transform_form{is_real ? fft_kind::real : fft_kind::complex, dir,
                          normalization::backward};
  };
  const auto padded = [&](sizes extents) {
    for (std::size_t i = 0; i < shape.axes.size(); ++i)
      extents[shape.axes[i]] = shape.padded_lengths[i];
    return extents;
  };
  const auto spectrum = [&](const shared_tensor& t) {
    const sizes& extents = t->shape().extents;
    if (shape.axes.empty()) return arranged(c, t, extents, true);
    return transform_on_device(c, form(direction::forward), t, padded(extents), shape.axes);
  };
  shared_tensor a = spectrum(x), b = spectrum(y);
  sizes extents = a->shape().extents;
  for (std::size_t k = 0; k < extents.size(); ++k)
    extents[k] = std::max(extents[k], b->shape().extents[k]);
  a = repeated(c, a, extents);
  b = repeated(c, b, extents);
  const shared_tensor factors[] = {a, b};
  const operand_shape whole{extents, true};
  shared_tensor result =
      run_step_as(c, product_problem{.count = whole.count()}, {}, factors, whole);
  if (!shape.axes.empty())
    result = transform_on_device(c, form(direction::inverse), result, padded(shape.full_extents),
                                 shape.axes);
  return part_of(c, result, shape.kept_first, shape.kept_extents, !is_real);
}

}  // namespace papilio::transform_detail

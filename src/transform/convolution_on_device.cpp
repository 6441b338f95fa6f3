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

// Transforms of padded operands, and of products of their spectra back, as a convolution has them.
class padded_transforms {
 public:
  padded_transforms(const device_call& c, const convolution_shape& shape, bool is_real)
      : call_(c), shape_(shape), is_real_(is_real) {}

  shared_tensor spectrum(const shared_tensor& t) const {
    const sizes& extents = t->shape().extents;
    if (shape_.axes.empty()) return arranged(call_, t, extents, true);
    return transform_on_device(call_, form(direction::forward), t, padded(extents), shape_.axes);
  }

  // The part from `first` on of the convolution of what has these spectra.
  shared_tensor convolved(shared_tensor a, shared_tensor b, std::span<const std::size_t> first,
                          std::span<const std::size_t> extents) const {
    sizes common = a->shape().extents;
    for (std::size_t k = 0; k < common.size(); ++k)
      common[k] = std::max(common[k], b->shape().extents[k]);
    a = repeated(call_, a, common);
    b = repeated(call_, b, common);
    const shared_tensor factors[] = {a, b};
    const operand_shape whole{common, true};
    shared_tensor result =
        run_step_as(call_, product_problem{.count = whole.count()}, {}, factors, whole);
    if (!shape_.axes.empty())
      result = transform_on_device(call_, form(direction::inverse), result,
                                   padded(shape_.full_extents), shape_.axes);
    return part_of(call_, result, first, extents, !is_real_);
  }

 private:
  transform_form form(direction dir) const {
    return {is_real_ ? fft_kind::real : fft_kind::complex, dir, normalization::backward};
  }
  sizes padded(sizes extents) const {
    for (std::size_t i = 0; i < shape_.axes.size(); ++i)
      extents[shape_.axes[i]] = shape_.padded_lengths[i];
    return extents;
  }

  const device_call& call_;
  const convolution_shape& shape_;
  bool is_real_;
};

}  // namespace

shared_tensor convolution_on_device(const device_call& c, const shared_tensor& x,
                                    const shared_tensor& y, convolution_mode mode,
                                    const index_list& axes) {
  const operand_shape &sx = x->shape(), &sy = y->shape();
  const bool is_real = !sx.is_complex && !sy.is_complex;
  const convolution_shape shape =
      checked_convolution(c.function, sx.extents, sy.extents, mode, axes, is_real, false);
  const padded_transforms transforms(c, shape, is_real);
  const shared_tensor a = transforms.spectrum(x), b = transforms.spectrum(y);
  return transforms.convolved(a, b, shape.kept_first, shape.kept_extents);
}

std::vector<shared_tensor> correlations_on_device(const device_call& c,
                                                  const shared_tensor& gradient,
                                                  const shared_tensor& x, const shared_tensor& y,
                                                  const convolution_shape& shape) {
  const padded_transforms transforms(c, shape, !gradient->shape().is_complex);
  const shared_tensor spectrum = transforms.spectrum(gradient);
  const auto by = [&](const sizes& of, const shared_tensor& other) {
    sizes first(of.size(), 0), extents = shape.full_extents;
    for (const std::size_t axis : shape.axes) {
      first[axis] = other->shape().extents[axis] - 1;
      extents[axis] = of[axis];
    }
    return transforms.convolved(spectrum, transforms.spectrum(other), first, extents);
  };
  return {by(x->shape().extents, y), by(y->shape().extents, x)};
}

}  // namespace papilio::transform_detail

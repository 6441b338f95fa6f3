#pragma once

#include <algorithm>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/published.hpp"

// What the published libraries' hosts do around a product.
namespace papilio::kernels_detail {

/// out(i, j, ...) = of(value, what it was), over all of `out`; `in` is at least as large.
template <class Of>
void combine(const view<const float, 2>& in, const view<float, 2>& out, const Of& of) {
  for (std::size_t i = 0; i < out.extent(0); ++i)
    for (std::size_t j = 0; j < out.extent(1); ++j) out(i, j) = of(in(i, j), out(i, j));
}
template <class Of>
void combine(const view<const float, 3>& in, const view<float, 3>& out, const Of& of) {
  for (std::size_t s = 0; s < out.extent(0); ++s)
    combine(view<const float, 2>(in[s]), view<float, 2>(out[s]), of);
}

/// An operand with zeros below and to the right, where it is not as large as it should be.
template <std::size_t Rank>
class padded_operand {
 public:
  padded_operand(const view<const float, Rank>& in, const extents_type<Rank>& extents) : seen_(in) {
    if (in.extents() == extents) return;
    copy_ = array<float, Rank>(extents);
    view<float, Rank> inside = copy_.view();
    for (std::size_t axis = 0; axis < Rank; ++axis) inside = inside.slice(axis, 0, in.extent(axis));
    combine(in, inside, [](float value, float) { return value; });
    seen_ = view<const float, Rank>(copy_.view());
  }
  padded_operand(const padded_operand&) = delete;
  padded_operand& operator=(const padded_operand&) = delete;

  const view<const float, Rank>& seen() const { return seen_; }

 private:
  array<float, Rank> copy_;
  view<const float, Rank> seen_;
};

/// The products of the last two axes; shape_error unless they agree, named `what`.
template <std::size_t Rank>
gemm_problem problem_of(const char* what, const view<const float, Rank>& a,
                        const view<const float, Rank>& b, const view<float, Rank>& c) {
  const std::size_t row = Rank - 2, column = Rank - 1;
  bool fits = a.extent(column) == b.extent(row) && c.extent(row) == a.extent(row) &&
              c.extent(column) == b.extent(column);
  for (std::size_t axis = 0; axis < row; ++axis)
    fits = fits && a.extent(axis) == b.extent(axis) && a.extent(axis) == c.extent(axis);
  if (!fits)
    throw shape_error(base_detail::message(what, ": c of ", c.extent(row), " x ", c.extent(column),
                                           " is not a of ", a.extent(row), " x ", a.extent(column),
                                           " times b of ", b.extent(row), " x ", b.extent(column),
                                           Rank == 3 ? ", or there are not as many of each" : ""));
  return {.batch = Rank == 3 ? a.extent(0) : 1,
          .m = a.extent(row),
          .k = a.extent(column),
          .n = b.extent(column)};
}

/// Pads, launches `sized` and takes the product's part: c = alpha (a b) + beta c.
template <std::size_t Rank>
engine::launch_result padded_launch(engine::device& on, const kernels::sized_kernel& sized,
                                    const view<const float, Rank>& a,
                                    const view<const float, Rank>& b, const view<float, Rank>& c,
                                    const kernels::published::product_scale& scale = {}) {
  const auto extents = [](const engine::tensor_shape& shape) {
    extents_type<Rank> result;
    std::ranges::copy(shape.extents, result.begin());
    return result;
  };
  const padded_operand<Rank> left(a, extents(sized.inputs[0])), right(b, extents(sized.inputs[1]));
  array<float, Rank> product(extents(sized.outputs[0]), uninitialized);
  engine::launch_result result = on.launch(sized.program, {left.seen(), right.seen()}, {product});
  const view<const float, Rank> made(product.view());
  if (scale.beta == 0)
    combine(made, c, [&](float value, float) { return scale.alpha * value; });
  else
    combine(made, c,
            [&](float value, float before) { return scale.alpha * value + scale.beta * before; });
  return result;
}

}  // namespace papilio::kernels_detail

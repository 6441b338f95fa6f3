#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/transform/device_run.hpp"
#include "papilio/transform/grids.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/run.hpp"

namespace papilio {

/// Options of a convolution, as scipy.signal has them.
struct convolution_options {
  convolution_mode mode = convolution_mode::full;
  /// Axes along which to convolve, each once; not given: all. Along the others the operands have
  /// equal extents, or one has extent 1 and is repeated.
  index_list axes = {};
  effort plan_effort = effort::estimate;
  execution on = {};
};

namespace transform_detail {

/// Element type of a convolution: complex if either operand is, in the wider precision.
template <class X, class Y>
using convolution_real = std::common_type_t<real_of<X>, real_of<Y>>;
template <class X, class Y>
using convolution_element =
    std::conditional_t<complex_array_like<X> || complex_array_like<Y>,
                       std::complex<convolution_real<X, Y>>, convolution_real<X, Y>>;

/// Assigns out(i...) = f(a(i...), b(i...)), where an extent of 1 in a or b is repeated.
template <class A, class B, class Out, std::size_t Rank, class Function>
void combine(view<const A, Rank> a, view<const B, Rank> b, view<Out, Rank> out, const Function& f) {
  for (std::size_t i = 0; i < out.extent(0); ++i) {
    const std::size_t ia = a.extent(0) == 1 ? 0 : i, ib = b.extent(0) == 1 ? 0 : i;
    if constexpr (Rank == 1)
      out[i] = f(a[ia], b[ib]);
    else
      combine<A, B, Out, Rank - 1>(a[ia], b[ib], out[i], f);
  }
}

/// Product of two numbers; of complex ones without the rules for infinities.
template <class E>
E product(const E& a, const E& b) {
  if constexpr (element<E>::is_complex)
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else
    return a * b;
}

template <class E, std::size_t Rank>
array<E, Rank> broadcast_product(view<const E, Rank> a, view<const E, Rank> b) {
  extents_type<Rank> extents;
  for (std::size_t k = 0; k < Rank; ++k) extents[k] = a.extent(k) == 1 ? b.extent(k) : a.extent(k);
  array<E, Rank> out(extents);
  combine<E, E, E, Rank>(a, b, out.view(), product<E>);
  return out;
}

/// Spectra of zero-padded operands, and their inverse: real transforms if E is real.
template <class E, std::size_t Rank>
auto spectrum_of(const char* function, view<const E, Rank> x, const grid_options& options) {
  const grid_call call(function, x, options);
  if constexpr (element<E>::is_complex) {
    array<E, Rank> spectrum = call.complex_points();
    call.complex(direction::forward, spectrum.view());
    return spectrum;
  } else {
    array<std::complex<E>, Rank> spectrum = call.complex_bins();
    call.real_forward(spectrum.view());
    return spectrum;
  }
}
template <class E, class C, std::size_t Rank>
array<E, Rank> inverse_of(const char* function, const array<C, Rank>& spectrum,
                          const grid_options& options) {
  constexpr bool is_real = !element<E>::is_complex;
  const grid_call call(function, spectrum.view(), options, {}, is_real);
  if constexpr (is_real) {
    array<E, Rank> result = call.real_points();
    call.real_inverse(result);
    return result;
  } else {
    array<E, Rank> result = call.complex_points();
    call.complex(direction::inverse, result);
    return result;
  }
}
template <class E, class C, std::size_t Rank>
array<E, Rank> convolved(const char* function, const array<C, Rank>& a, const array<C, Rank>& b,
                         const grid_options& options) {
  return inverse_of<E>(function, broadcast_product<C, Rank>(a.view(), b.view()), options);
}

template <std::size_t Rank>
extents_type<Rank> fixed(const std::vector<std::size_t>& values) {
  extents_type<Rank> extents;
  std::copy_n(values.begin(), Rank, extents.begin());
  return extents;
}

/// Section of the full convolution that the mode keeps.
template <class E, std::size_t Rank>
array<E, Rank> kept_part(view<const E, Rank> full, const convolution_shape& shape) {
  for (std::size_t k = 0; k < Rank; ++k)
    full = full.slice(k, shape.kept_first[k], shape.kept_extents[k]);
  return converted_copy<E, E, Rank>(full);
}

template <class E, std::size_t Rank>
array<E, Rank> convolve_at_once(const char* function, view<const E, Rank> x, view<const E, Rank> y,
                                const convolution_shape& shape,
                                const convolution_options& options) {
  if (shape.axes.empty()) {
    const array<E, Rank> full = broadcast_product<E, Rank>(x, y);
    return kept_part<E, Rank>(full.view(), shape);
  }
  const grid_options grid{.s = shape.padded_lengths,
                          .axes = shape.axes,
                          .plan_effort = options.plan_effort,
                          .on = options.on};
  const array<E, Rank> full =
      convolved<E>(function, spectrum_of(function, x, grid), spectrum_of(function, y, grid), grid);
  return kept_part<E, Rank>(full.view(), shape);
}

/// Convolves by overlap-add: blocks of the longer operand along one axis, whose convolutions
/// overlap by the shorter one's extent less one.
template <class E, std::size_t Rank>
array<E, Rank> convolve_in_blocks(const char* function, view<const E, Rank> x,
                                  view<const E, Rank> y, const convolution_shape& shape,
                                  const convolution_options& options) {
  const std::size_t axis = shape.block_axis, step = shape.block_length;
  const bool x_is_longer = x.extent(axis) >= y.extent(axis);
  const view<const E, Rank> longer = x_is_longer ? x : y, shorter = x_is_longer ? y : x;
  const grid_options grid{.s = shape.block_lengths,
                          .axes = shape.axes,
                          .plan_effort = options.plan_effort,
                          .on = options.on};
  const auto filter = spectrum_of(function, shorter, grid);
  const extents_type<Rank> extents = fixed<Rank>(shape.full_extents);
  array<E, Rank> full(extents);
  for (std::size_t first = 0; first < longer.extent(axis); first += step) {
    const std::size_t count = std::min(step, longer.extent(axis) - first);
    const array<E, Rank> block = convolved<E>(
        function, spectrum_of(function, longer.slice(axis, first, count), grid), filter, grid);
    const std::size_t length = count + shorter.extent(axis) - 1;
    const view<E, Rank> target = full.view().slice(axis, first, length);
    const view<const E, Rank> part = cut(block.view(), target.extents());
    combine<E, E, E, Rank>(target, part, target, [](const E& a, const E& b) { return a + b; });
  }
  return kept_part<E, Rank>(std::as_const(full).view(), shape);
}

template <class X, class Y>
auto convolution(const char* function, const X& x, const Y& y, const convolution_options& options,
                 bool in_blocks) {
  static_assert(rank_of<X> == rank_of<Y>, "the operands of a convolution have the same rank");
  using E = convolution_element<X, Y>;
  constexpr std::size_t Rank = rank_of<X>;
  const auto vx = as_view(x);
  const auto vy = as_view(y);
  const convolution_shape shape =
      checked_convolution(function, vx.extents(), vy.extents(), options.mode, options.axes,
                          !element<E>::is_complex, in_blocks);
  if (vx.empty() || vy.empty()) {
    require_execution({function, options.plan_effort, options.on}, element<E>::is_complex,
                      real_type_of<typename element<E>::real>);
    return array<E, Rank>();
  }
  convolution_options steps = options;
  steps.on = decided(options.on);
  if (options.on.where != policy::host) {
    array<E, Rank> result(fixed<Rank>(shape.kept_extents), uninitialized);
    const bool is_done = ran_on_device_arrays(
        {function, options.plan_effort, options.on}, vx, vy, result.view(),
        [&](const device_call& c, std::span<const shared_tensor> t) {
          return convolution_on_device(c, t[0], t[1], options.mode, options.axes);
        });
    if (is_done) return result;
  }
  const fitted<E, Rank> a(vx, vx.extents()), b(vy, vy.extents());
  return shape.block_length == 0
             ? convolve_at_once<E, Rank>(function, a.view(), b.view(), shape, steps)
             : convolve_in_blocks<E, Rank>(function, a.view(), b.view(), shape, steps);
}

}  // namespace transform_detail

/// Computes the convolution (x * y)[k] = sum_j x[j] y[k - j] along the axes, by one transform of
/// the padded operands, as scipy.signal.fftconvolve. The operands have the same rank; the result is
/// complex if either is, in the wider precision, and has no elements if x or y has none. O(N log N)
/// in the extents of the full result. Rounding errors are relative to the greatest values of the
/// result, not to each. On a device the operands are copied up once, the result back once.
///
/// Throws invalid_argument for an axis out of range or named twice, an empty list of axes, an
/// execution that cannot be had, and under `valid` if neither operand is at least as long as the
/// other along every axis; shape_error if extents along other axes neither agree nor are 1.
template <array_like X, array_like Y>
auto fftconvolve(const X& x, const Y& y, const convolution_options& options = {}) {
  return transform_detail::convolution("fftconvolve", x, y, options, false);
}

/// Computes the convolution of fftconvolve by overlap-add, as scipy.signal.oaconvolve: the longer
/// operand is taken in blocks along the axis where the other is relatively shortest. For long
/// signals and short filters: O(N log m) for m values of the filter, memory for one block beside
/// the result. On a device it is fftconvolve, without blocks.
/// Throws as fftconvolve.
template <array_like X, array_like Y>
auto oaconvolve(const X& x, const Y& y, const convolution_options& options = {}) {
  return transform_detail::convolution("oaconvolve", x, y, options, true);
}

namespace transform_detail {

/// Adds the conjugate of `from` to `to`, of which extents of 1 take the sums along longer ones.
template <class From, class To, std::size_t Rank>
void add_conjugate(view<const From, Rank> from, view<To, Rank> to) {
  for (std::size_t i = 0; i < from.extent(0); ++i) {
    const std::size_t at = to.extent(0) == 1 ? 0 : i;
    if constexpr (Rank > 1)
      add_conjugate<From, To, Rank - 1>(from[i], to[at]);
    else if constexpr (!element<From>::is_complex)
      to[at] += from[i];
    else if constexpr (element<To>::is_complex)
      to[at] += std::conj(from[i]);
    else
      to[at] += from[i].real();
  }
}

/// Adds a(i...) b(i...) to out(i...), where an extent of 1 in a or b is repeated, in out summed.
template <class E, std::size_t Rank>
void add_products(view<const E, Rank> a, view<const E, Rank> b, view<E, Rank> out) {
  const auto at = [](const auto& v, std::size_t i) { return v.extent(0) == 1 ? 0 : i; };
  for (std::size_t i = 0; i < std::max(a.extent(0), b.extent(0)); ++i)
    if constexpr (Rank == 1)
      out[at(out, i)] += product(a[at(a, i)], b[at(b, i)]);
    else
      add_products<E, Rank - 1>(a[at(a, i)], b[at(b, i)], out[at(out, i)]);
}

template <class V, std::size_t Rank>
view<V, Rank> reversed(const view<V, Rank>& x, const std::vector<std::size_t>& axes) {
  strides_type<Rank> strides = x.strides();
  std::ptrdiff_t last = 0;
  for (const std::size_t axis : axes) {
    last += static_cast<std::ptrdiff_t>(x.extent(axis) - 1) * strides[axis];
    strides[axis] = -strides[axis];
  }
  return {x.data() + last, x.extents(), strides};
}

/// Gradient by the whole convolution, reversed and conjugated, 0 where the mode keeps nothing. With
/// r[L - 1 - k] = conj g[k] of L = n + m - 1 points, and N >= L of a transform, the gradient by x is
///   sum over k of g[k] conj y[k - i] = conj (r * y)[L - 1 - i], i < n,
/// from indices m - 1 ... L - 1, which the cyclic convolution of N points has too.
template <class E, class Gradient, std::size_t Rank>
array<E, Rank> reversed_gradient(const view<const Gradient, Rank>& gradient,
                                 const convolution_shape& shape) {
  array<E, Rank> whole(fixed<Rank>(shape.full_extents));
  view<E, Rank> kept = reversed(whole.view(), shape.axes);
  for (std::size_t k = 0; k < Rank; ++k)
    kept = kept.slice(k, shape.kept_first[k], shape.kept_extents[k]);
  assign_each<Gradient, E, Rank>(gradient, kept, [](const Gradient& v) {
    if constexpr (element<Gradient>::is_complex && element<E>::is_complex)
      return std::conj(converted<E>(v));
    else
      return converted<E>(v);
  });
  return whole;
}

/// Gradients by x and y, reversed and conjugated, from that of reversed_gradient. Along axes without
/// transform, where extents of 1 are repeated, they are summed already, or will be.
template <class E, std::size_t Rank>
std::array<array<E, Rank>, 2> correlations(const char* function, view<const E, Rank> gradient,
                                           view<const E, Rank> x, view<const E, Rank> y,
                                           const convolution_shape& shape,
                                           const convolution_options& options) {
  const grid_options grid{.s = shape.padded_lengths,
                          .axes = shape.axes,
                          .plan_effort = options.plan_effort,
                          .on = options.on};
  const auto sums_of = [&]<class C>(view<const C, Rank> a, view<const C, Rank> b,
                                    const extents_type<Rank>& of) {
    extents_type<Rank> extents = of;
    for (const std::size_t axis : shape.axes) extents[axis] = a.extent(axis);
    array<C, Rank> sums(extents);
    add_products<C, Rank>(a, b, sums.view());
    return sums;
  };
  if (shape.axes.empty())
    return {sums_of(gradient, y, x.extents()), sums_of(gradient, x, y.extents())};
  const auto spectrum = spectrum_of(function, gradient, grid);
  const auto by = [&](view<const E, Rank> of, view<const E, Rank> other) {
    const auto others = spectrum_of(function, other, grid);
    const array<E, Rank> whole =
        inverse_of<E>(function, sums_of(spectrum.view(), others.view(), of.extents()), grid);
    view<const E, Rank> kept = whole.view();
    for (const std::size_t axis : shape.axes)
      kept = kept.slice(axis, other.extent(axis) - 1, of.extent(axis));
    return converted_copy<E, E, Rank>(kept);
  };
  return {by(x, y), by(y, x)};
}

/// Computes them on an accelerator, in one dispatch; false: on the host.
template <class E, class X, class Y, std::size_t Rank>
bool correlated_on_device(const device_call& c, view<const E, Rank> gradient, view<const X, Rank> x,
                          view<const Y, Rank> y, const convolution_shape& shape,
                          std::array<array<E, Rank>, 2>& by) {
  if (c.on.where == policy::host) return false;
  for (const std::size_t i : {0, 1}) {
    extents_type<Rank> extents = gradient.extents();
    for (const std::size_t axis : shape.axes)
      extents[axis] = (i == 0 ? x.extent(axis) : y.extent(axis));
    by[i] = array<E, Rank>(extents);
  }
  const host_array in[] = {host_array_of(gradient), host_array_of(x), host_array_of(y)};
  const view<E, Rank> by_x = by[0].view(), by_y = by[1].view();
  const host_result out[] = {host_result_of(by_x), host_result_of(by_y)};
  return run_on_device_arrays(c, in, out, [&](const device_call& d, const auto& t) {
    return correlations_on_device(d, t[0], t[1], t[2], shape);
  });
}

}  // namespace transform_detail

/// Gradients by the operands of a convolution, in their extents.
template <class X, class Y, std::size_t Rank>
struct convolution_gradients {
  array<X, Rank> x;
  array<Y, Rank> y;
};

/// Computes the gradients of a real loss by the operands of fftconvolve(x, y, options), or
/// oaconvolve, from that by its result: the correlations of the gradient with the other operand,
/// conjugated, so that a complex gradient is dL/dRe + i dL/dIm as in torch.autograd. A real operand
/// has a real gradient, one that is repeated along an axis the sum along it. Five transforms of the
/// lengths of fftconvolve, which takes three; on a device one dispatch.
/// Throws as fftconvolve, and shape_error unless the gradient has the extents of the result.
template <array_like X, array_like Y, array_like Gradient>
auto fftconvolve_vjp(const X& x, const Y& y, const Gradient& gradient,
                     const convolution_options& options = {}) {
  using namespace transform_detail;
  constexpr const char* function = "fftconvolve_vjp";
  using E = convolution_element<X, Y>;
  using Real = typename element<E>::real;
  constexpr std::size_t Rank = rank_of<X>;
  static_assert(rank_of<Y> == Rank && rank_of<Gradient> == Rank,
                "operands and gradient have the same rank");
  using to_x = std::conditional_t<complex_array_like<X>, std::complex<Real>, Real>;
  using to_y = std::conditional_t<complex_array_like<Y>, std::complex<Real>, Real>;
  const auto vx = as_view(x);
  const auto vy = as_view(y);
  const auto vg = as_view(gradient);
  const convolution_shape shape =
      checked_convolution(function, vx.extents(), vy.extents(), options.mode, options.axes,
                          !element<E>::is_complex, false);
  const bool is_empty = vx.empty() || vy.empty();
  require_extents(function, "gradient", vg.extents(),
                  is_empty ? extents_type<Rank>() : fixed<Rank>(shape.kept_extents));
  convolution_gradients<to_x, to_y, Rank> result{array<to_x, Rank>(vx.extents()),
                                                 array<to_y, Rank>(vy.extents())};
  const device_call call{function, options.plan_effort, options.on};
  if (is_empty) {
    require_execution(call, element<E>::is_complex, real_type_of<Real>);
    return result;
  }
  const array<E, Rank> whole = reversed_gradient<E>(vg, shape);
  std::array<array<E, Rank>, 2> by;
  if (!correlated_on_device(call, whole.view(), vx, vy, shape, by)) {
    convolution_options steps = options;
    steps.on = decided(options.on);
    const fitted<E, Rank> a(vx, vx.extents()), b(vy, vy.extents());
    by = correlations<E, Rank>(function, whole.view(), a.view(), b.view(), shape, steps);
  }
  const view<const E, Rank> by_x = std::as_const(by[0]).view(), by_y = std::as_const(by[1]).view();
  add_conjugate<E, to_x, Rank>(reversed(by_x, shape.axes), result.x.view());
  add_conjugate<E, to_y, Rank>(reversed(by_y, shape.axes), result.y.view());
  return result;
}

namespace transform_detail {

template <class T, class U>
using device_common = std::conditional_t<std::is_same_v<T, float> && std::is_same_v<U, float>,
                                         float, std::complex<float>>;

template <class T, class U, std::size_t Rank>
device_array<device_common<T, U>, Rank> convolution_of_device_arrays(
    const char* function, const device_array<T, Rank>& x, const device_array<U, Rank>& y,
    const convolution_options& options) {
  return device_array<device_common<T, U>, Rank>(
      convolution_on_device({function, options.plan_effort, options.on}, x.tensor(function),
                            y.tensor(function), options.mode, options.axes));
}

}  // namespace transform_detail

// Device arrays: up to ten launches (padding, transforms, a product, the inverse, a cut).
// oaconvolve is fftconvolve here, without blocks.
template <device_element T, device_element U, std::size_t Rank>
auto fftconvolve(const device_array<T, Rank>& x, const device_array<U, Rank>& y,
                 const convolution_options& options = {}) {
  return transform_detail::convolution_of_device_arrays("fftconvolve", x, y, options);
}
template <device_element T, device_element U, std::size_t Rank>
auto oaconvolve(const device_array<T, Rank>& x, const device_array<U, Rank>& y,
                const convolution_options& options = {}) {
  return transform_detail::convolution_of_device_arrays("oaconvolve", x, y, options);
}

}  // namespace papilio

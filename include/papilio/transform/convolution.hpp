#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <optional>
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
array<E, Rank> convolved(const char* function, const array<C, Rank>& a, const array<C, Rank>& b,
                         const grid_options& options) {
  const array<C, Rank> spectrum = broadcast_product<C, Rank>(a.view(), b.view());
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
    array<E, Rank> result(fixed<Rank>(shape.kept_extents));
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

/// Adds `from` to `to`, of which extents of 1 take the sums along longer ones of `from`.
template <class From, class To, std::size_t Rank>
void add_summed(view<const From, Rank> from, view<To, Rank> to) {
  for (std::size_t i = 0; i < from.extent(0); ++i) {
    const std::size_t at = to.extent(0) == 1 ? 0 : i;
    if constexpr (Rank > 1)
      add_summed<From, To, Rank - 1>(from[i], to[at]);
    else if constexpr (element<From>::is_complex && !element<To>::is_complex)
      to[at] += from[i].real();
    else
      to[at] += from[i];
  }
}

/// Gradient by x, of elements V, from that by the whole convolution of x and y along these axes:
/// the correlation with y, cut to the extents of x.
template <class V, class E, class Y, std::size_t Rank>
array<V, Rank> correlated(view<const E, Rank> gradient, view<const Y, Rank> y,
                          const extents_type<Rank>& extents, const std::vector<std::size_t>& axes,
                          convolution_options options) {
  strides_type<Rank> strides = y.strides();
  std::ptrdiff_t last = 0;
  for (const std::size_t axis : axes) {
    last += static_cast<std::ptrdiff_t>(y.extent(axis) - 1) * strides[axis];
    strides[axis] = -strides[axis];
  }
  const fitted<E, Rank> reversed(view<const Y, Rank>(y.data() + last, y.extents(), strides),
                                 y.extents());
  array<E, Rank> filter(y.extents());
  assign_each<E, E, Rank>(reversed.view(), filter.view(), [](const E& v) {
    if constexpr (element<E>::is_complex)
      return std::conj(v);
    else
      return v;
  });
  options.mode = convolution_mode::full;
  const array<E, Rank> whole =
      convolution("fftconvolve_vjp", gradient, filter.view(), options, false);
  view<const E, Rank> kept = whole.view();
  for (const std::size_t axis : axes) kept = kept.slice(axis, y.extent(axis) - 1, extents[axis]);
  array<V, Rank> result(extents);
  add_summed<E, V, Rank>(kept, result.view());
  return result;
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
/// has a real gradient, one that is repeated along an axis the sum along it. Two convolutions of
/// the full result, where the options say.
/// Throws as fftconvolve, and shape_error unless the gradient has the extents of the result.
template <array_like X, array_like Y, array_like Gradient>
auto fftconvolve_vjp(const X& x, const Y& y, const Gradient& gradient,
                     const convolution_options& options = {}) {
  using namespace transform_detail;
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
  const convolution_shape shape = checked_convolution("fftconvolve_vjp", vx.extents(), vy.extents(),
                                                      options.mode, options.axes, false, false);
  if (!std::ranges::equal(vg.extents(), shape.kept_extents))
    throw shape_error("fftconvolve_vjp: gradient must have the extents of the convolution");
  convolution_gradients<to_x, to_y, Rank> result;
  if (vx.empty() || vy.empty()) {
    result.x = array<to_x, Rank>(vx.extents());
    result.y = array<to_y, Rank>(vy.extents());
    return result;
  }
  array<E, Rank> full(fixed<Rank>(shape.full_extents));
  view<E, Rank> kept = full.view();
  for (std::size_t k = 0; k < Rank; ++k)
    kept = kept.slice(k, shape.kept_first[k], shape.kept_extents[k]);
  const fitted<E, Rank> given(vg, vg.extents());
  assign_each<E, E, Rank>(given.view(), kept, [](const E& v) { return v; });
  std::vector<std::size_t> axes;
  for (std::size_t k = 0; k < Rank; ++k) {
    const auto names = [&](std::ptrdiff_t axis) {
      return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::ptrdiff_t>(Rank) : axis) ==
             k;
    };
    if (!options.axes.is_given() || std::ranges::any_of(options.axes.values(), names))
      axes.push_back(k);
  }
  const view<const E, Rank> all = std::as_const(full).view();
  using from_y = value_of<Y>;
  using from_x = value_of<X>;
  result.x = correlated<to_x, E, from_y, Rank>(all, vy, vx.extents(), axes, options);
  result.y = correlated<to_y, E, from_x, Rank>(all, vx, vy.extents(), axes, options);
  return result;
}

/// Options of a chirp z-transform, as scipy.signal.czt has them.
struct czt_options {
  /// Number of points; not given: the extent of the axis.
  std::optional<std::ptrdiff_t> m = {};
  /// Ratio w of neighbouring points, finite and not 0; not given: exp(-2 pi i / m), exactly.
  std::optional<std::complex<double>> w = {};
  /// First point, finite and not 0.
  std::complex<double> a = 1;
  std::ptrdiff_t axis = -1;
  effort plan_effort = effort::estimate;
  execution on = {};
};

namespace transform_detail {

/// Factors of one chirp transform: of the n inputs, of the convolution (its filter, in time, of
/// length padded), and of the m outputs.
template <class T>
struct czt_factors {
  array<std::complex<T>, 1> in, filter, out;
};

/// Computes them. Throws invalid_argument if n or m is below 1, or w or a is 0 or not finite.
template <class T>
PAPILIO_API czt_factors<T> make_czt_factors(const char* function, std::size_t n,
                                            const czt_options& options);

/// Chirp z-transform of an array on an accelerator.
PAPILIO_API shared_tensor czt_on_device(const device_call& c, const shared_tensor& x,
                                        const czt_options& options);

/// Multiplies the first factors.size() elements of x along the axis by the factor of their index.
template <class T, std::size_t Rank>
void multiply_along(view<const std::complex<T>, Rank> x, std::size_t axis,
                    std::span<const std::complex<T>> factors, view<std::complex<T>, Rank> out) {
  using C = std::complex<T>;
  const auto times = [](const C& v, const C& f) -> C {
    return {v.real() * f.real() - v.imag() * f.imag(), v.real() * f.imag() + v.imag() * f.real()};
  };
  const std::size_t count = axis == 0 ? factors.size() : x.extent(0);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (Rank == 1) {
      out[i] = times(x[i], factors[i]);
    } else if (axis == 0) {
      assign_each<C, C, Rank - 1>(x[i], out[i], [&](const C& v) { return times(v, factors[i]); });
    } else {
      multiply_along<T, Rank - 1>(x[i], axis - 1, factors, out[i]);
    }
  }
}

}  // namespace transform_detail

/// Computes the chirp z-transform X[k] = sum_j x[j] z_k^-j at the m points z_k = a w^-k of a
/// spiral, along one axis, as scipy.signal.czt. By default it is the DFT of x at m points; with
/// w = exp(-2 pi i d) and a = exp(2 pi i f) it is the spectrum from f on in steps of d cycles a
/// sample.
///
/// O((n + m) log(n + m)) a line by a cyclic convolution (Bluestein). Angles of the default w are
/// reduced in integers; those of a given w are computed in long double, where the error of point k
/// is about k^2 / 2 times its rounding. If |w| is not 1, factors of |w|^(k^2 / 2) are used, which
/// may overflow for long transforms. Under policy::device x is copied up once and the result copied
/// back once. Rabiner, L.R., Schafer, R.W., Rader, C.M. (1969), Bell Syst. Tech. J. 48, 1249.
///
/// Throws invalid_argument if m or n is below 1, x lacks the axis, or w or a is 0 or not finite.
template <array_like X>
auto czt(const X& x, const czt_options& options = {}) {
  using namespace transform_detail;
  using T = real_of<X>;
  using C = std::complex<T>;
  constexpr std::size_t Rank = rank_of<X>;
  const auto in = as_view(x);
  const std::size_t axis = checked_axis("czt", options.axis, Rank);
  const std::size_t n = in.extent(axis);
  const czt_factors<T> factors = make_czt_factors<T>("czt", n, options);
  const std::size_t m = factors.out.size(), padded = factors.filter.size();
  const execution on = decided(options.on);
  if (options.on.where != policy::host) {
    array<C, Rank> result(with_extent(in.extents(), axis, m));
    const bool is_done =
        ran_on_device_arrays({"czt", options.plan_effort, options.on}, in, result.view(),
                             [&](const device_call& c, std::span<const shared_tensor> t) {
                               return czt_on_device(c, t[0], options);
                             });
    if (is_done) return result;
  }
  const call c{"czt", options.plan_effort, on};

  array<C, 1> filter = factors.filter;
  const auto form = [](direction dir) {
    return transform_form{fft_kind::complex, dir, normalization::backward};
  };
  run_line<C, C, 1>(c, form(direction::forward), padded, 0, std::as_const(filter).view(),
                    filter.view());
  // Everything is done in the memory of the padded convolution.
  const fitted<C, Rank> converted(in, in.extents());
  array<C, Rank> work(with_extent(in.extents(), axis, padded));
  multiply_along<T, Rank>(converted.view(), axis, factors.in.flat(), work.view());
  const auto transform = [&](direction dir) {
    run_line<C, C, Rank>(c, form(dir), padded, axis, std::as_const(work).view(), work.view());
  };
  transform(direction::forward);
  multiply_along<T, Rank>(std::as_const(work).view(), axis, std::as_const(filter).flat(),
                          work.view());
  transform(direction::inverse);
  array<C, Rank> out(with_extent(in.extents(), axis, m));
  multiply_along<T, Rank>(std::as_const(work).view(), axis, factors.out.flat(), out.view());
  return out;
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

// Device arrays: seven launches. The three tables of factors, each as large as the padded array,
// are kept on the accelerator.
template <device_element T, std::size_t Rank>
device_array<std::complex<float>, Rank> czt(const device_array<T, Rank>& x,
                                            const czt_options& options = {}) {
  return device_array<std::complex<float>, Rank>(transform_detail::czt_on_device(
      {"czt", options.plan_effort, options.on}, x.tensor("czt"), options));
}

}  // namespace papilio

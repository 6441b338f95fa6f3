#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/transform/device_run.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/run.hpp"

namespace papilio {

/// Options of cosine and sine transforms along one axis, as scipy.fft has them.
struct trigonometric_options {
  int type = 2;  ///< 1 to 4
  std::optional<std::ptrdiff_t> n = {};
  std::ptrdiff_t axis = -1;
  normalization norm = normalization::backward;
  effort plan_effort = effort::estimate;
  execution on = {};
};

namespace transform_detail {

/// Result type; complex elements are transformed by real and imaginary planes.
template <class V>
using trigonometric_result =
    std::conditional_t<element<V>::is_complex, V, typename element<V>::real>;

template <class X>
using trigonometric_view = view<trigonometric_result<value_of<X>>, rank_of<X>>;
template <class Out, class X>
concept trigonometric_output = writable_array_of<Out, trigonometric_view<X>>;

/// View of the real (part 0) or imaginary (part 1) plane of complex elements.
template <class T, std::size_t Rank>
auto part_of(view<T, Rank> x, std::size_t part) {
  using R = typename std::remove_const_t<T>::value_type;
  using Real = std::conditional_t<std::is_const_v<T>, const R, R>;
  strides_type<Rank> strides = x.strides();
  for (std::ptrdiff_t& s : strides) s *= 2;
  return view<Real, Rank>(reinterpret_cast<Real*>(x.data()) + part, x.extents(), strides);
}

PAPILIO_API void require_trigonometric_type(const char* function, int type, std::size_t n,
                                            bool is_cosine);

/// Cosine or sine transform along one axis of x; axis, length and type are checked here only.
template <class V, std::size_t Rank>
class trigonometric_call {
 public:
  using Result = trigonometric_result<V>;

  trigonometric_call(const char* function, fft_kind kind, direction dir, view<const V, Rank> x,
                     const trigonometric_options& options)
      : call_{function, options.plan_effort, options.on},
        form_{kind, dir, options.norm, options.type},
        x_(x),
        axis_(checked_axis(function, options.axis, Rank)),
        n_(checked_length(function, options.n, x.extent(axis_))) {
    require_trigonometric_type(function, options.type, n_, kind == fft_kind::cosine);
  }

  array<Result, Rank> result() const {
    array<Result, Rank> out(points());
    run(out.view());
    return out;
  }

  void into(const view<Result, Rank>& out) const {
    require_out(call_.function, out, points());
    run(out);
  }

 private:
  extents_type<Rank> points() const { return with_extent(x_.extents(), axis_, n_); }

  void run(const view<Result, Rank>& out) const {
    if constexpr (element<V>::is_complex)
      if (call_.on.where != policy::host &&
          ran_on_device_arrays({call_.function, call_.plan_effort, call_.on}, x_, out,
                               [&](const device_call& c, std::span<const shared_tensor> t) {
                                 return trigonometric_on_device(c, form_, t[0],
                                                                {.axes = {axis_}, .lengths = {n_}});
                               }))
        return;
    const fitted<Result, Rank> in(x_, points());
    if constexpr (element<V>::is_complex) {
      // The real parts of out must not lie where imaginary parts of x are still to be read.
      const bool is_same = in.view().data() == out.data() && in.view().strides() == out.strides();
      const bool is_copied =
          !is_same && base_detail::reach(in.view()).overlaps(base_detail::reach(out));
      const array<V, Rank> copy =
          is_copied ? converted_copy<V, V, Rank>(in.view()) : array<V, Rank>();
      const view<const V, Rank> from = is_copied ? copy.view() : in.view();
      for (std::size_t part = 0; part < 2; ++part)
        run_line(call_, form_, n_, axis_, part_of(from, part), part_of(out, part));
    } else {
      run_line(call_, form_, n_, axis_, in.view(), out);
    }
  }

  call call_;
  transform_form form_;
  view<const V, Rank> x_;
  std::size_t axis_, n_;
};

/// Cosine or sine transform along one axis of a device array, to a device array.
template <class T, std::size_t Rank>
class device_trigonometric_call {
 public:
  device_trigonometric_call(const char* function, fft_kind kind, direction dir,
                            const device_array<T, Rank>& x, const trigonometric_options& options)
      : call_{function, options.plan_effort, options.on},
        form_{kind, dir, options.norm, options.type},
        x_(x.tensor(function)),
        axis_(checked_axis(function, options.axis, Rank)),
        n_(checked_length(function, options.n, x.extent(axis_))) {}

  device_array<T, Rank> result() const {
    return device_array<T, Rank>(
        trigonometric_on_device(call_, form_, x_, {.axes = {axis_}, .lengths = {n_}}));
  }

 private:
  device_call call_;
  transform_form form_;
  const shared_tensor& x_;
  std::size_t axis_, n_;
};

template <array_like X>
auto trigonometric_of(const char* function, fft_kind kind, direction dir, const X& x,
                      const trigonometric_options& options) {
  return trigonometric_call(function, kind, dir, as_view(x), options);
}
template <class T, std::size_t Rank>
auto trigonometric_of(const char* function, fft_kind kind, direction dir,
                      const device_array<T, Rank>& x, const trigonometric_options& options) {
  return device_trigonometric_call<T, Rank>(function, kind, dir, x, options);
}

}  // namespace transform_detail

/// Computes the cosine transform of n values along one axis, as scipy.fft.dct; unscaled by default:
///   type 1  y[k] = x[0] + (-1)^k x[n-1] + 2 sum_{0<j<n-1} x[j] cos(pi j k / (n - 1)), n >= 2
///   type 2  y[k] = 2 sum_j x[j] cos(pi k (2j + 1) / (2n))
///   type 3  y[k] = x[0] + 2 sum_{j>0} x[j] cos(pi (2k + 1) j / (2n))
///   type 4  y[k] = 2 sum_j x[j] cos(pi (2k + 1) (2j + 1) / (4n))
/// With N = 2n (type 1: 2 (n - 1)), the norm `forward` has 1/N; `orthonormal` makes the matrix
/// orthogonal. The real and imaginary planes of complex x are transformed separately. O(n log n) a
/// line; on a device O(n^2), by a matrix that is kept there, for at most 4096 points.
/// Throws invalid_argument for a type that is not 1 to 4, n below 1 (type 1: 2), an axis that x
/// does not have; device_error for more points on a device.
template <transformable X>
auto dct(const X& x, const trigonometric_options& options = {}) {
  return transform_detail::trigonometric_of("dct", fft_kind::cosine, direction::forward, x, options)
      .result();
}

/// Computes the inverse of dct of the same type, with 1/N by default, as scipy.fft.idct. Without
/// the factor types 1 and 4 are their own inverses, and types 2 and 3 each other's. Throws as dct.
template <transformable X>
auto idct(const X& x, const trigonometric_options& options = {}) {
  return transform_detail::trigonometric_of("idct", fft_kind::cosine, direction::inverse, x,
                                            options)
      .result();
}

/// Computes the sine transform of n values along one axis, as scipy.fft.dst; unscaled by default:
///   type 1  y[k] = 2 sum_j x[j] sin(pi (j + 1) (k + 1) / (n + 1))
///   type 2  y[k] = 2 sum_j x[j] sin(pi (k + 1) (2j + 1) / (2n))
///   type 3  y[k] = (-1)^k x[n-1] + 2 sum_{j<n-1} x[j] sin(pi (2k + 1) (j + 1) / (2n))
///   type 4  y[k] = 2 sum_j x[j] sin(pi (2k + 1) (2j + 1) / (4n))
/// N = 2n (type 1: 2 (n + 1)); all else is as in dct, but type 1 has n >= 1.
template <transformable X>
auto dst(const X& x, const trigonometric_options& options = {}) {
  return transform_detail::trigonometric_of("dst", fft_kind::sine, direction::forward, x, options)
      .result();
}

/// Computes the inverse of dst of the same type, with 1/N by default, as scipy.fft.idst.
template <transformable X>
auto idst(const X& x, const trigonometric_options& options = {}) {
  return transform_detail::trigonometric_of("idst", fft_kind::sine, direction::inverse, x, options)
      .result();
}

/// Compute dct, idct, dst and idst into existing memory; `out` as in fft.
template <array_like X, transform_detail::trigonometric_output<X> Out>
void dct(const X& x, Out&& out, const trigonometric_options& options = {}) {
  transform_detail::trigonometric_of("dct", fft_kind::cosine, direction::forward, x, options)
      .into(base_detail::as_writable_view(out));
}
template <array_like X, transform_detail::trigonometric_output<X> Out>
void idct(const X& x, Out&& out, const trigonometric_options& options = {}) {
  transform_detail::trigonometric_of("idct", fft_kind::cosine, direction::inverse, x, options)
      .into(base_detail::as_writable_view(out));
}
template <array_like X, transform_detail::trigonometric_output<X> Out>
void dst(const X& x, Out&& out, const trigonometric_options& options = {}) {
  transform_detail::trigonometric_of("dst", fft_kind::sine, direction::forward, x, options)
      .into(base_detail::as_writable_view(out));
}
template <array_like X, transform_detail::trigonometric_output<X> Out>
void idst(const X& x, Out&& out, const trigonometric_options& options = {}) {
  transform_detail::trigonometric_of("idst", fft_kind::sine, direction::inverse, x, options)
      .into(base_detail::as_writable_view(out));
}

/// Options of cosine and sine transforms along several axes, as scipy.fft has them.
struct trigonometric_grid_options {
  int type = 2;          ///< 1 to 4
  index_list s = {};     ///< as in grid_options
  index_list axes = {};  ///< as in grid_options, each once
  normalization norm = normalization::backward;
  effort plan_effort = effort::estimate;
  execution on = {};
};

namespace transform_detail {

template <class T, std::size_t Rank>
auto trigonometric_grid(const char* function, fft_kind kind, direction dir,
                        const device_array<T, Rank>& x, const trigonometric_grid_options& options) {
  return device_array<T, Rank>(trigonometric_on_device(
      {function, options.plan_effort, options.on}, {kind, dir, options.norm, options.type},
      x.tensor(function), checked_grid(function, options.s, options.axes, {}, x.extents(), false)));
}

template <array_like X>
auto trigonometric_grid(const char* function, fft_kind kind, direction dir, const X& array_of_host,
                        const trigonometric_grid_options& options) {
  const auto x = as_view(array_of_host);
  using V = value_of<X>;
  constexpr std::size_t Rank = rank_of<X>;
  using Result = trigonometric_result<V>;
  const grid_axes grid = checked_grid(function, options.s, options.axes, {}, x.extents(), false);
  if (grid.is_repeated)
    throw invalid_argument(
        base_detail::message(function, ": axes must be distinct, got one of them twice"));
  for (std::size_t n : grid.lengths)
    require_trigonometric_type(function, options.type, n, kind == fft_kind::cosine);
  extents_type<Rank> extents = x.extents();
  for (std::size_t i = 0; i < grid.axes.size(); ++i) extents[grid.axes[i]] = grid.lengths[i];
  if (options.on.where != policy::host) {
    array<Result, Rank> result(extents);
    const bool is_done = ran_on_device_arrays(
        {function, options.plan_effort, options.on}, x, result.view(),
        [&](const device_call& c, std::span<const shared_tensor> t) {
          return trigonometric_on_device(c, {kind, dir, options.norm, options.type}, t[0], grid);
        });
    if (is_done) return result;
  }
  const fitted<Result, Rank> in(x, extents);
  array<Result, Rank> out = converted_copy<Result, Result, Rank>(in.view());
  for (std::size_t i = grid.axes.size(); i-- > 0;) {
    const trigonometric_options line{.type = options.type,
                                     .axis = static_cast<std::ptrdiff_t>(grid.axes[i]),
                                     .norm = options.norm,
                                     .plan_effort = options.plan_effort,
                                     .on = decided(options.on)};
    trigonometric_call(function, kind, dir, std::as_const(out).view(), line).into(out.view());
  }
  return out;
}

}  // namespace transform_detail

/// Computes dct along each of options.axes (not given: the last s.size(), or all), the last first,
/// as scipy.fft.dctn. Throws as dct and fftn, and invalid_argument for an axis named twice.
template <transformable X>
auto dctn(const X& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::trigonometric_grid("dctn", fft_kind::cosine, direction::forward, x,
                                              options);
}

/// Computes the inverse of dctn, as scipy.fft.idctn.
template <transformable X>
auto idctn(const X& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::trigonometric_grid("idctn", fft_kind::cosine, direction::inverse, x,
                                              options);
}

/// Computes dst along each of options.axes, as dctn and scipy.fft.dstn.
template <transformable X>
auto dstn(const X& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::trigonometric_grid("dstn", fft_kind::sine, direction::forward, x,
                                              options);
}

/// Computes the inverse of dstn, as scipy.fft.idstn.
template <transformable X>
auto idstn(const X& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::trigonometric_grid("idstn", fft_kind::sine, direction::inverse, x,
                                              options);
}

}  // namespace papilio

#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/transform/device_run.hpp"
#include "papilio/transform/lines.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/run.hpp"

namespace papilio {
namespace transform_detail {

/// Throws shape_error unless a gradient has the lengths of the transform's result along its axes:
/// n/2 + 1 bins along the last, or n points; invalid_argument unless there is an axis.
PAPILIO_API void require_gradient_extents(const char* function, const grid_axes& grid,
                                          std::span<const std::size_t> gradient, bool is_of_bins);

/// Transform along several axes of x; axes and lengths are checked here only. An axis that is named
/// twice is transformed twice, each time cut or padded first.
template <class V, std::size_t Rank>
class grid_call {
 public:
  using T = typename element<V>::real;
  using C = std::complex<T>;
  using extents = extents_type<Rank>;

  grid_call(const char* function, view<const V, Rank> x, const grid_options& options,
            const index_list& default_axes = {}, bool from_bins = false)
      : call_{function, options.plan_effort, options.on},
        norm_(options.norm),
        x_(x),
        grid_(checked_grid(function, options.s, options.axes, default_axes, x.extents(),
                           from_bins)) {}

  /// Arrays for the results.
  array<C, Rank> complex_points() const { return array<C, Rank>(complex_extents()); }
  array<C, Rank> complex_bins() const { return array<C, Rank>(spectrum_extents()); }
  array<T, Rank> real_points() const { return array<T, Rank>(real_extents()); }

  /// Throws shape_error unless x, a gradient, has the extents of the bins or of the points.
  void require_gradient_bins() const {
    require_gradient_extents(call_.function, grid_, x_.extents(), true);
  }
  void require_gradient_points() const {
    require_gradient_extents(call_.function, grid_, x_.extents(), false);
  }

  /// Throws shape_error unless `out` has these extents.
  void require_complex_points(const view<C, Rank>& out) const {
    require_out(call_.function, out, complex_extents());
  }
  void require_complex_bins(const view<C, Rank>& out) const {
    require_out(call_.function, out, spectrum_extents());
  }
  void require_real_points(const view<T, Rank>& out) const {
    require_out(call_.function, out, real_extents());
  }

  void complex(direction dir, const view<C, Rank>& out) const {
    execution on;
    if (ran_as_steps(out, on, [&](const device_call& c, const shared_tensor& x) {
          return complex_grid_on_device(c, {fft_kind::complex, dir, norm_}, x, grid_);
        }))
      return;
    const call c{call_.function, call_.plan_effort, on};
    const transform_form form{fft_kind::complex, dir, norm_};
    if (!grid_.is_repeated && !grid_.axes.empty()) {
      const fitted<C, Rank> in(x_, complex_extents());
      return run_grid(c, form, complex_extents(), grid_.axes, in.view(), out);
    }
    array<C, Rank> result = converted_copy<V, C, Rank>(x_);
    for (std::size_t i = grid_.axes.size(); i-- > 0;) result = along(c, form, result, i);
    copy(result, out);
  }

  // Computes rfftn, or the adjoint of irfftn.
  void real_forward(const view<C, Rank>& out, bool adjoint = false) const {
    execution on;
    if (ran_as_steps(out, on, [&](const device_call& c, const shared_tensor& x) {
          return real_grid_on_device(c, direction::forward, norm_, x, grid_, adjoint);
        }))
      return;
    const call c{call_.function, call_.plan_effort, on};
    const transform_form form{fft_kind::real, direction::forward, norm_, 0, adjoint};
    if (!grid_.is_repeated) {
      const fitted<T, Rank> in(x_, complex_extents());
      return run_grid(c, form, complex_extents(), grid_.axes, in.view(), out);
    }
    const std::size_t last = grid_.axes.size() - 1, axis = grid_.axes[last];
    const std::size_t n = grid_.lengths[last];
    const fitted<T, Rank> in(x_, with_extent(x_.extents(), axis, n));
    array<C, Rank> result(with_extent(x_.extents(), axis, n / 2 + 1));
    run_line(c, form, n, axis, in.view(), result.view());
    for (std::size_t i = last; i-- > 0;)
      result = along(c, other_axes(direction::forward, adjoint), result, i);
    copy(result, out);
  }

  void real_inverse(const view<T, Rank>& out, bool adjoint = false) const {
    execution on;
    if (ran_as_steps(out, on, [&](const device_call& c, const shared_tensor& x) {
          return real_grid_on_device(c, direction::inverse, norm_, x, grid_, adjoint);
        }))
      return;
    const call c{call_.function, call_.plan_effort, on};
    const transform_form form{fft_kind::real, direction::inverse, norm_, 0, adjoint};
    const std::size_t last = grid_.axes.size() - 1, axis = grid_.axes[last];
    const std::size_t n = grid_.lengths[last];
    if (!grid_.is_repeated) {
      const fitted<C, Rank> in(x_, with_extent(real_extents(), axis, n / 2 + 1));
      return run_grid(c, form, real_extents(), grid_.axes, in.view(), out);
    }
    array<C, Rank> x = converted_copy<V, C, Rank>(x_);
    for (std::size_t i = 0; i < last; ++i)
      x = along(c, other_axes(direction::inverse, adjoint), x, i);
    const fitted<C, Rank> in(std::as_const(x).view(), with_extent(x.extents(), axis, n / 2 + 1));
    run_line(c, form, n, axis, in.view(), out);
  }

 private:
  // Returns the extents of a complex result. Axes are transformed from the last named to the first,
  // so that an axis named twice ends with the first of its lengths.
  extents complex_extents() const { return lengths_of(grid_); }
  // Returns the extents of the half spectrum: n/2 + 1 bins along the axis named last, unless it is
  // named before too and ends with that length.
  extents spectrum_extents() const {
    require_an_axis(call_.function, grid_);
    grid_axes bins = grid_;
    bins.lengths.back() = grid_.lengths.back() / 2 + 1;
    return lengths_of(bins);
  }
  // Returns the extents of a real result. irfftn transforms axes from the first named to the last,
  // so that an axis named twice ends with the last of its lengths.
  extents real_extents() const {
    require_an_axis(call_.function, grid_);
    extents result = x_.extents();
    for (std::size_t i = 0; i < grid_.axes.size(); ++i) result[grid_.axes[i]] = grid_.lengths[i];
    return result;
  }

  extents lengths_of(const grid_axes& grid) const {
    extents result = x_.extents();
    for (std::size_t i = grid.axes.size(); i-- > 0;) result[grid.axes[i]] = grid.lengths[i];
    return result;
  }

  // Returns whether an accelerator has run the transform in several steps; if not, `on` says where
  // it is to run.
  template <class Out, class Body>
  bool ran_as_steps(const view<Out, Rank>& out, execution& on, const Body& body) const {
    const bool in_steps = has_several_steps(call_.on, grid_, Rank);
    if (in_steps &&
        ran_on_device_arrays(
            {call_.function, call_.plan_effort, call_.on}, x_, out,
            [&](const device_call& c, std::span<const shared_tensor> t) { return body(c, t[0]); }))
      return true;
    on = in_steps ? decided(call_.on) : call_.on;
    return false;
  }

  // Returns the form of the complex transforms along the axes beside the last of a real transform.
  // In the adjoint of the opposite transform they have the other factor.
  transform_form other_axes(direction dir, bool adjoint) const {
    return {fft_kind::complex, dir, adjoint ? swapped(norm_) : norm_};
  }

  // Transforms complex lines along the i-th axis of the list.
  array<C, Rank> along(const call& c, const transform_form& form, const array<C, Rank>& x,
                       std::size_t i) const {
    const std::size_t axis = grid_.axes[i], n = grid_.lengths[i];
    const fitted<C, Rank> in(x.view(), with_extent(x.extents(), axis, n));
    array<C, Rank> out(with_extent(x.extents(), axis, n));
    run_line(c, form, n, axis, in.view(), out.view());
    return out;
  }

  static void copy(const array<C, Rank>& from, const view<C, Rank>& to) {
    assign_each<C, C, Rank>(from.view(), to, [](const C& v) { return v; });
  }

  call call_;
  normalization norm_;
  view<const V, Rank> x_;
  grid_axes grid_;
};

/// Transform along several axes of a device array, to a device array.
template <class T, std::size_t Rank>
class device_grid_call {
 public:
  using real = device_array<float, Rank>;
  using bins = device_array<std::complex<float>, Rank>;

  device_grid_call(const char* function, const device_array<T, Rank>& x,
                   const grid_options& options, const index_list& default_axes, bool from_bins)
      : call_{function, options.plan_effort, options.on},
        norm_(options.norm),
        x_(x.tensor(function)),
        grid_(checked_grid(function, options.s, options.axes, default_axes, x.extents(),
                           from_bins)) {}

  bins complex_points() const { return {}; }
  bins complex_bins() const { return {}; }
  real real_points() const { return {}; }

  void require_gradient_bins() const {
    require_gradient_extents(call_.function, grid_, x_->shape().extents, true);
  }
  void require_gradient_points() const {
    require_gradient_extents(call_.function, grid_, x_->shape().extents, false);
  }

  void complex(direction dir, bins& out) const {
    out = bins(complex_grid_on_device(call_, {fft_kind::complex, dir, norm_}, x_, grid_));
  }
  void real_forward(bins& out, bool adjoint = false) const {
    out = bins(real_grid_on_device(call_, direction::forward, norm_, x_, grid_, adjoint));
  }
  void real_inverse(real& out, bool adjoint = false) const {
    out = real(real_grid_on_device(call_, direction::inverse, norm_, x_, grid_, adjoint));
  }

 private:
  device_call call_;
  normalization norm_;
  const shared_tensor& x_;
  grid_axes grid_;
};

template <array_like X>
auto grid_of(const char* function, const X& x, const grid_options& options,
             const index_list& default_axes = {}, bool from_bins = false) {
  return grid_call(function, as_view(x), options, default_axes, from_bins);
}
template <class T, std::size_t Rank>
auto grid_of(const char* function, const device_array<T, Rank>& x, const grid_options& options,
             const index_list& default_axes = {}, bool from_bins = false) {
  return device_grid_call<T, Rank>(function, x, options, default_axes, from_bins);
}

inline index_list last_two_axes() { return {-2, -1}; }

}  // namespace transform_detail

/// Computes the DFT along each of options.axes, the last first, as numpy.fft.fftn; sign and factor
/// are those of fft along each axis. An axis that is named twice is transformed twice; with no axes
/// (a list that is given and empty) the result is x, complex.
/// Throws as fft, and invalid_argument if s and axes differ in size or s is longer than x's rank.
template <transformable X>
auto fftn(const X& x, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("fftn", x, options);
  auto out = call.complex_points();
  call.complex(direction::forward, out);
  return out;
}

/// Computes the inverse DFT along each of options.axes, as numpy.fft.ifftn. Throws as fftn.
template <transformable X>
auto ifftn(const X& x, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("ifftn", x, options);
  auto out = call.complex_points();
  call.complex(direction::inverse, out);
  return out;
}

/// Computes fftn over the last two axes unless options.axes are given, as numpy.fft.fft2.
template <transformable X>
auto fft2(const X& x, const grid_options& options = {}) {
  const auto call =
      transform_detail::grid_of("fft2", x, options, transform_detail::last_two_axes());
  auto out = call.complex_points();
  call.complex(direction::forward, out);
  return out;
}

/// Computes ifftn over the last two axes unless options.axes are given, as numpy.fft.ifft2.
template <transformable X>
auto ifft2(const X& x, const grid_options& options = {}) {
  const auto call =
      transform_detail::grid_of("ifft2", x, options, transform_detail::last_two_axes());
  auto out = call.complex_points();
  call.complex(direction::inverse, out);
  return out;
}

/// Compute fftn, ifftn, fft2 and ifft2 into existing memory; `out` as in fft.
template <array_like X, transform_detail::complex_output<X> Out>
void fftn(const X& x, Out&& out, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("fftn", x, options);
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_points(to);
  call.complex(direction::forward, to);
}
template <array_like X, transform_detail::complex_output<X> Out>
void ifftn(const X& x, Out&& out, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("ifftn", x, options);
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_points(to);
  call.complex(direction::inverse, to);
}
template <array_like X, transform_detail::complex_output<X> Out>
void fft2(const X& x, Out&& out, const grid_options& options = {}) {
  const auto call =
      transform_detail::grid_of("fft2", x, options, transform_detail::last_two_axes());
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_points(to);
  call.complex(direction::forward, to);
}
template <array_like X, transform_detail::complex_output<X> Out>
void ifft2(const X& x, Out&& out, const grid_options& options = {}) {
  const auto call =
      transform_detail::grid_of("ifft2", x, options, transform_detail::last_two_axes());
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_points(to);
  call.complex(direction::inverse, to);
}

/// Computes the DFT of a real array, rfft along the axis named last and then fft along the others,
/// as numpy.fft.rfftn; the half spectrum has n/2 + 1 bins along that axis. Complex input does not
/// compile.
/// Throws as fftn, and invalid_argument if there are no axes.
template <real_transformable X>
auto rfftn(const X& x, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("rfftn", x, options);
  auto out = call.complex_bins();
  call.real_forward(out);
  return out;
}

/// Computes the real inverse of rfftn, ifft along all axes but the one named last and then irfft
/// along that, as numpy.fft.irfftn. The last length defaults to 2 (m - 1) for m bins unless s is
/// given; -1 in s stands for m. Throws as rfftn.
template <transformable X>
auto irfftn(const X& x, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("irfftn", x, options, {}, true);
  auto out = call.real_points();
  call.real_inverse(out);
  return out;
}

/// Computes rfftn over the last two axes unless options.axes are given, as numpy.fft.rfft2.
template <real_transformable X>
auto rfft2(const X& x, const grid_options& options = {}) {
  const auto call =
      transform_detail::grid_of("rfft2", x, options, transform_detail::last_two_axes());
  auto out = call.complex_bins();
  call.real_forward(out);
  return out;
}

/// Computes irfftn over the last two axes unless options.axes are given, as numpy.fft.irfft2.
template <transformable X>
auto irfft2(const X& x, const grid_options& options = {}) {
  const auto call =
      transform_detail::grid_of("irfft2", x, options, transform_detail::last_two_axes(), true);
  auto out = call.real_points();
  call.real_inverse(out);
  return out;
}

/// Compute rfftn, irfftn, rfft2 and irfft2 into existing memory; `out` as in fft.
template <real_array_like X, transform_detail::complex_output<X> Out>
void rfftn(const X& x, Out&& out, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("rfftn", x, options);
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_bins(to);
  call.real_forward(to);
}
template <array_like X, transform_detail::real_output<X> Out>
void irfftn(const X& x, Out&& out, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("irfftn", x, options, {}, true);
  const auto to = base_detail::as_writable_view(out);
  call.require_real_points(to);
  call.real_inverse(to);
}
template <real_array_like X, transform_detail::complex_output<X> Out>
void rfft2(const X& x, Out&& out, const grid_options& options = {}) {
  const auto call =
      transform_detail::grid_of("rfft2", x, options, transform_detail::last_two_axes());
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_bins(to);
  call.real_forward(to);
}
template <array_like X, transform_detail::real_output<X> Out>
void irfft2(const X& x, Out&& out, const grid_options& options = {}) {
  const auto call =
      transform_detail::grid_of("irfft2", x, options, transform_detail::last_two_axes(), true);
  const auto to = base_detail::as_writable_view(out);
  call.require_real_points(to);
  call.real_inverse(to);
}

/// Computes the gradient of a real loss L by x from the gradient by rfftn(x, options) or irfftn, as
/// rfft_vjp and irfft_vjp do along one axis. Gradients of fftn and ifftn are ifftn and fftn with
/// norm's other factor. Lengths are those of the gradient; along the axis named last, as in
/// rfft_vjp.
/// Throws as the transforms, and shape_error for a gradient of other lengths than s says.
template <transformable G>
auto rfftn_vjp(const G& gradient, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("rfftn_vjp", gradient, options, {}, true);
  call.require_gradient_bins();
  auto out = call.real_points();
  call.real_inverse(out, true);
  return out;
}
template <real_transformable G>
auto irfftn_vjp(const G& gradient, const grid_options& options = {}) {
  const auto call = transform_detail::grid_of("irfftn_vjp", gradient, options);
  call.require_gradient_points();
  auto out = call.complex_bins();
  call.real_forward(out, true);
  return out;
}

}  // namespace papilio

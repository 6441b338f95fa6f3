#pragma once

#include <complex>
#include <cstddef>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/resident_run.hpp"
#include "papilio/transform/run.hpp"

namespace papilio {
namespace transform_detail {

/// Extents after the axes have got their lengths, from the last that is named to the first.
template <std::size_t Rank>
extents_type<Rank> grid_extents(extents_type<Rank> extents, const grid_axes& grid) {
  for (std::size_t i = grid.axes.size(); i-- > 0;) extents[grid.axes[i]] = grid.lengths[i];
  return extents;
}

// Along the axes [0, count) of the list, one after another from the last, each cut or padded when
// its turn comes: what an axis that is there twice means.
template <class T, std::size_t Rank>
array<std::complex<T>, Rank> complex_axes_in_turn(const call& c, fft_kind kind, fft_scaling scaling,
                                                  array<std::complex<T>, Rank> x,
                                                  const grid_axes& grid, std::size_t count) {
  for (std::size_t i = count; i-- > 0;) {
    const std::size_t axis = grid.axes[i], n = grid.lengths[i];
    const extents_type<Rank> extents = with_extent(x.extents(), axis, n);
    const fitted<std::complex<T>, Rank> in(std::as_const(x).view(), extents);
    array<std::complex<T>, Rank> out(extents);
    run_line(c, kind, scaling, n, axis, in.view(), out.view());
    x = std::move(out);
  }
  return x;
}

template <class V, std::size_t Rank>
void complex_grid(const char* function, direction dir, view<const V, Rank> x,
                  view<std::complex<typename element<V>::real>, Rank> out,
                  const grid_options& options, const index_list& default_axes) {
  using T = typename element<V>::real;
  using C = std::complex<T>;
  const grid_axes grid =
      checked_grid(function, options.s, options.axes, default_axes, x.extents(), false);
  const extents_type<Rank> extents = grid_extents(x.extents(), grid);
  require_out(function, out, extents);
  const bool in_steps = has_several_steps(options.on, grid, Rank);
  if (in_steps) {
    const bool is_done =
        ran_as_residents({function, options.plan_effort, options.on}, x, out,
                         [&](const resident_call& c, std::span<const shared_tensor> t) {
                           return resident_complex_grid(c, dir, t[0], options, default_axes);
                         });
    if (is_done) return;
  }
  const execution on = in_steps ? decided(options.on) : options.on;
  const call c{function, options.plan_effort, on};
  const fft_kind kind =
      dir == direction::forward ? fft_kind::complex_forward : fft_kind::complex_inverse;
  const fft_scaling scaling = scaling_of(options.norm, dir);
  if (!grid.is_repeated && !grid.axes.empty()) {
    const fitted<C, Rank> in(x, extents);
    return run_grid(c, kind, scaling, extents, grid.axes, in.view(), out);
  }
  const array<C, Rank> result = complex_axes_in_turn<T, Rank>(
      c, kind, scaling, converted_copy<V, C, Rank>(x), grid, grid.axes.size());
  assign_each<C, C, Rank>(result.view(), out, [](const C& v) { return v; });
}

template <class V, std::size_t Rank>
auto new_complex_grid(const char* function, direction dir, view<const V, Rank> x,
                      const grid_options& options, const index_list& default_axes) {
  const grid_axes grid =
      checked_grid(function, options.s, options.axes, default_axes, x.extents(), false);
  array<std::complex<typename element<V>::real>, Rank> out(grid_extents(x.extents(), grid));
  complex_grid<V, Rank>(function, dir, x, out.view(), options, default_axes);
  return out;
}

inline index_list last_two_axes() { return {-2, -1}; }

}  // namespace transform_detail

/// numpy.fft.fftn: fft along each of options.axes, the last first; the factor is that of the
/// product of the lengths. An axis that is named twice is transformed twice; with no axes (a list
/// that is given and empty) the result is x, complex. invalid_argument as fft, and if s and axes
/// differ in size or s has more lengths than x axes.
template <array_like X>
auto fftn(const X& x, const grid_options& options = {}) {
  return transform_detail::new_complex_grid("fftn", direction::forward,
                                            transform_detail::as_view(x), options, {});
}

/// numpy.fft.ifftn.
template <array_like X>
auto ifftn(const X& x, const grid_options& options = {}) {
  return transform_detail::new_complex_grid("ifftn", direction::inverse,
                                            transform_detail::as_view(x), options, {});
}

/// numpy.fft.fft2: fftn over the last two axes unless options.axes says otherwise.
template <array_like X>
auto fft2(const X& x, const grid_options& options = {}) {
  return transform_detail::new_complex_grid("fft2", direction::forward,
                                            transform_detail::as_view(x), options,
                                            transform_detail::last_two_axes());
}

/// numpy.fft.ifft2.
template <array_like X>
auto ifft2(const X& x, const grid_options& options = {}) {
  return transform_detail::new_complex_grid("ifft2", direction::inverse,
                                            transform_detail::as_view(x), options,
                                            transform_detail::last_two_axes());
}

/// fftn and its like into memory that is there; `out` as in fft_into.
template <array_like X>
void fftn_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const grid_options& options = {}) {
  transform_detail::complex_grid("fftn_into", direction::forward, transform_detail::as_view(x), out,
                                 options, {});
}
template <array_like X>
void ifftn_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const grid_options& options = {}) {
  transform_detail::complex_grid("ifftn_into", direction::inverse, transform_detail::as_view(x),
                                 out, options, {});
}
template <array_like X>
void fft2_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const grid_options& options = {}) {
  transform_detail::complex_grid("fft2_into", direction::forward, transform_detail::as_view(x), out,
                                 options, transform_detail::last_two_axes());
}
template <array_like X>
void ifft2_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const grid_options& options = {}) {
  transform_detail::complex_grid("ifft2_into", direction::inverse, transform_detail::as_view(x),
                                 out, options, transform_detail::last_two_axes());
}

namespace transform_detail {

inline void require_an_axis(const char* function, const grid_axes& grid) {
  if (grid.axes.empty())
    throw invalid_argument(base_detail::message(function, ": axes must name at least one, got 0"));
}

/// Extents of the spectrum of a real array: along the axis named last n/2 + 1 bins.
template <std::size_t Rank>
extents_type<Rank> spectrum_extents(const extents_type<Rank>& extents, const grid_axes& grid) {
  // Where that axis is named before as well, its length there is the one that stands.
  grid_axes bins = grid;
  bins.lengths.back() = grid.lengths.back() / 2 + 1;
  return grid_extents(extents, bins);
}

template <class V, std::size_t Rank>
void real_forward_grid(const char* function, view<const V, Rank> x,
                       view<std::complex<typename element<V>::real>, Rank> out,
                       const grid_options& options, const index_list& default_axes) {
  using T = typename element<V>::real;
  using C = std::complex<T>;
  const grid_axes grid =
      checked_grid(function, options.s, options.axes, default_axes, x.extents(), false);
  require_an_axis(function, grid);
  require_out(function, out, spectrum_extents(x.extents(), grid));
  const bool in_steps = has_several_steps(options.on, grid, Rank);
  if (in_steps) {
    const bool is_done = ran_as_residents(
        {function, options.plan_effort, options.on}, x, out,
        [&](const resident_call& c, std::span<const shared_tensor> t) {
          return resident_real_grid(c, direction::forward, t[0], options, default_axes);
        });
    if (is_done) return;
  }
  const execution on = in_steps ? decided(options.on) : options.on;
  const call c{function, options.plan_effort, on};
  const fft_scaling scaling = scaling_of(options.norm, direction::forward);
  if (!grid.is_repeated) {
    const extents_type<Rank> extents = grid_extents(x.extents(), grid);
    const fitted<T, Rank> in(x, extents);
    return run_grid(c, fft_kind::real_forward, scaling, extents, grid.axes, in.view(), out);
  }
  const std::size_t axis = grid.axes.back(), n = grid.lengths.back();
  const fitted<T, Rank> in(x, with_extent(x.extents(), axis, n));
  array<C, Rank> bins(with_extent(x.extents(), axis, n / 2 + 1));
  run_line(c, fft_kind::real_forward, scaling, n, axis, in.view(), bins.view());
  const array<C, Rank> result = complex_axes_in_turn<T, Rank>(
      c, fft_kind::complex_forward, scaling, std::move(bins), grid, grid.axes.size() - 1);
  assign_each<C, C, Rank>(result.view(), out, [](const C& v) { return v; });
}

// An axis that is named twice: complex inverses in the order of the list, each cut or padded when
// its turn comes, and the real one last.
template <class T, std::size_t Rank>
void real_inverse_in_turn(const call& c, fft_scaling scaling, array<std::complex<T>, Rank> x,
                          const grid_axes& grid, view<T, Rank> out) {
  using C = std::complex<T>;
  for (std::size_t i = 0; i + 1 < grid.axes.size(); ++i) {
    const std::size_t axis = grid.axes[i], n = grid.lengths[i];
    const extents_type<Rank> extents = with_extent(x.extents(), axis, n);
    const fitted<C, Rank> in(std::as_const(x).view(), extents);
    array<C, Rank> next(extents);
    run_line(c, fft_kind::complex_inverse, scaling, n, axis, in.view(), next.view());
    x = std::move(next);
  }
  const std::size_t axis = grid.axes.back(), n = grid.lengths.back();
  const fitted<C, Rank> in(std::as_const(x).view(), with_extent(x.extents(), axis, n / 2 + 1));
  run_line(c, fft_kind::real_inverse, scaling, n, axis, in.view(), out);
}

/// Extents of irfftn's result: the axis named last has its length, whatever is named before.
template <std::size_t Rank>
extents_type<Rank> real_extents(const extents_type<Rank>& extents, const grid_axes& grid) {
  extents_type<Rank> result = extents;
  for (std::size_t i = 0; i < grid.axes.size(); ++i) result[grid.axes[i]] = grid.lengths[i];
  return result;
}

template <class V, std::size_t Rank>
void real_inverse_grid(const char* function, view<const V, Rank> x,
                       view<typename element<V>::real, Rank> out, const grid_options& options,
                       const index_list& default_axes) {
  using T = typename element<V>::real;
  using C = std::complex<T>;
  const grid_axes grid =
      checked_grid(function, options.s, options.axes, default_axes, x.extents(), true);
  require_an_axis(function, grid);
  const extents_type<Rank> extents = real_extents(x.extents(), grid);
  require_out(function, out, extents);
  const bool in_steps = has_several_steps(options.on, grid, Rank);
  if (in_steps) {
    const bool is_done = ran_as_residents(
        {function, options.plan_effort, options.on}, x, out,
        [&](const resident_call& c, std::span<const shared_tensor> t) {
          return resident_real_grid(c, direction::inverse, t[0], options, default_axes);
        });
    if (is_done) return;
  }
  const execution on = in_steps ? decided(options.on) : options.on;
  const call c{function, options.plan_effort, on};
  const fft_scaling scaling = scaling_of(options.norm, direction::inverse);
  if (grid.is_repeated)
    return real_inverse_in_turn<T, Rank>(c, scaling, converted_copy<V, C, Rank>(x), grid, out);
  const fitted<C, Rank> in(x, with_extent(extents, grid.axes.back(), grid.lengths.back() / 2 + 1));
  run_grid(c, fft_kind::real_inverse, scaling, extents, grid.axes, in.view(), out);
}

template <class V, std::size_t Rank>
auto new_real_forward_grid(const char* function, view<const V, Rank> x, const grid_options& options,
                           const index_list& default_axes) {
  const grid_axes grid =
      checked_grid(function, options.s, options.axes, default_axes, x.extents(), false);
  require_an_axis(function, grid);
  array<std::complex<typename element<V>::real>, Rank> out(spectrum_extents(x.extents(), grid));
  real_forward_grid<V, Rank>(function, x, out.view(), options, default_axes);
  return out;
}

template <class V, std::size_t Rank>
auto new_real_inverse_grid(const char* function, view<const V, Rank> x, const grid_options& options,
                           const index_list& default_axes) {
  const grid_axes grid =
      checked_grid(function, options.s, options.axes, default_axes, x.extents(), true);
  require_an_axis(function, grid);
  array<typename element<V>::real, Rank> out(real_extents(x.extents(), grid));
  real_inverse_grid<V, Rank>(function, x, out.view(), options, default_axes);
  return out;
}

}  // namespace transform_detail

/// numpy.fft.rfftn: rfft along the axis named last, then fft along the others; the half spectrum
/// has n/2 + 1 bins along that axis. Errors as fftn; no axes: invalid_argument. Complex input does
/// not compile.
template <real_array_like X>
auto rfftn(const X& x, const grid_options& options = {}) {
  return transform_detail::new_real_forward_grid("rfftn", transform_detail::as_view(x), options,
                                                 {});
}

/// numpy.fft.irfftn: ifft along all axes but the one named last, then irfft along that. Its length
/// defaults to 2 (m - 1) for m bins unless s is given; -1 in s stands for m.
template <array_like X>
auto irfftn(const X& x, const grid_options& options = {}) {
  return transform_detail::new_real_inverse_grid("irfftn", transform_detail::as_view(x), options,
                                                 {});
}

/// numpy.fft.rfft2: rfftn over the last two axes unless options.axes says otherwise.
template <real_array_like X>
auto rfft2(const X& x, const grid_options& options = {}) {
  return transform_detail::new_real_forward_grid("rfft2", transform_detail::as_view(x), options,
                                                 transform_detail::last_two_axes());
}

/// numpy.fft.irfft2.
template <array_like X>
auto irfft2(const X& x, const grid_options& options = {}) {
  return transform_detail::new_real_inverse_grid("irfft2", transform_detail::as_view(x), options,
                                                 transform_detail::last_two_axes());
}

/// rfftn and its like into memory that is there; `out` as in fft_into.
template <real_array_like X>
void rfftn_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const grid_options& options = {}) {
  transform_detail::real_forward_grid("rfftn_into", transform_detail::as_view(x), out, options, {});
}
template <array_like X>
void irfftn_into(const X& x,
                 const view<transform_detail::real_of<X>, transform_detail::rank_of<X>>& out,
                 const grid_options& options = {}) {
  transform_detail::real_inverse_grid("irfftn_into", transform_detail::as_view(x), out, options,
                                      {});
}
template <real_array_like X>
void rfft2_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const grid_options& options = {}) {
  transform_detail::real_forward_grid("rfft2_into", transform_detail::as_view(x), out, options,
                                      transform_detail::last_two_axes());
}
template <array_like X>
void irfft2_into(const X& x,
                 const view<transform_detail::real_of<X>, transform_detail::rank_of<X>>& out,
                 const grid_options& options = {}) {
  transform_detail::real_inverse_grid("irfft2_into", transform_detail::as_view(x), out, options,
                                      transform_detail::last_two_axes());
}

}  // namespace papilio

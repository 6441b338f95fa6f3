#pragma once

#include <complex>
#include <cstddef>
#include <utility>

#include "papilio/transform/array_like.hpp"
#include "papilio/transform/fitted.hpp"
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

}  // namespace papilio

#pragma once

#include <cstddef>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/transform/array_like.hpp"
#include "papilio/transform/fitted.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/trigonometric.hpp"

namespace papilio {

/// Of cosine and sine transforms along several axes, as scipy.fft has them.
struct trigonometric_grid_options {
  int type = 2;          ///< 1 to 4
  index_list s = {};     ///< as in grid_options
  index_list axes = {};  ///< as in grid_options, each once
  normalization norm = normalization::backward;
  effort plan_effort = effort::estimate;
  execution on = {};
};

namespace transform_detail {

template <class V, std::size_t Rank>
auto new_trigonometric_grid(const char* function, fft_kind kind, view<const V, Rank> x,
                            const trigonometric_grid_options& options) {
  using Result = trigonometric_result<V>;
  const grid_axes grid = checked_grid(function, options.s, options.axes, {}, x.extents(), false);
  if (grid.is_repeated)
    throw invalid_argument(
        base_detail::message(function, ": axes must be distinct, got one of them twice"));
  const bool is_cosine = kind == fft_kind::cosine_forward || kind == fft_kind::cosine_inverse;
  for (std::size_t n : grid.lengths)
    require_trigonometric_type(function, options.type, n, is_cosine);
  extents_type<Rank> extents = x.extents();
  for (std::size_t i = 0; i < grid.axes.size(); ++i) extents[grid.axes[i]] = grid.lengths[i];
  if (options.on.where != policy::host) {
    array<Result, Rank> result(extents);
    const bool is_done = ran_as_residents(
        {function, options.plan_effort, options.on}, x, result.view(),
        [&](const resident_call& c, std::span<const shared_tensor> t) {
          return resident_trigonometric(c, kind, options.type, options.norm, t[0], grid);
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
    trigonometric_line<Result, Rank>(function, kind, std::as_const(out).view(), out.view(), line);
  }
  return out;
}

}  // namespace transform_detail

/// scipy.fft.dctn: dct along each of options.axes (not given: the last s.size(), or all), the last
/// first. Errors as dct and fftn; an axis named twice is an invalid_argument.
template <array_like X>
auto dctn(const X& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::new_trigonometric_grid("dctn", fft_kind::cosine_forward,
                                                  transform_detail::as_view(x), options);
}

/// scipy.fft.idctn.
template <array_like X>
auto idctn(const X& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::new_trigonometric_grid("idctn", fft_kind::cosine_inverse,
                                                  transform_detail::as_view(x), options);
}

/// scipy.fft.dstn.
template <array_like X>
auto dstn(const X& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::new_trigonometric_grid("dstn", fft_kind::sine_forward,
                                                  transform_detail::as_view(x), options);
}

/// scipy.fft.idstn.
template <array_like X>
auto idstn(const X& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::new_trigonometric_grid("idstn", fft_kind::sine_inverse,
                                                  transform_detail::as_view(x), options);
}

}  // namespace papilio

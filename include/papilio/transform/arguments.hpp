#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/base/view.hpp"
#include "papilio/dispatch/fft_problem.hpp"
#include "papilio/transform/options.hpp"

// numpy.fft's rules for axes and lengths. What throws, throws in the name of `function`.
namespace papilio::transform_detail {

/// The axis counted from the front; invalid_argument unless -rank <= axis < rank.
PAPILIO_API std::size_t checked_axis(const char* function, std::ptrdiff_t axis, std::size_t rank);

/// n, or `extent` where it is not given; invalid_argument unless it is at least 1.
PAPILIO_API std::size_t checked_length(const char* function, std::optional<std::ptrdiff_t> n,
                                       std::size_t extent);

/// n, or 2 (bins - 1) where it is not given; invalid_argument unless it is at least 1.
PAPILIO_API std::size_t checked_real_length(const char* function, std::optional<std::ptrdiff_t> n,
                                            std::size_t bins);

/// The axes of a transform along several, counted from the front, and the length along each.
struct grid_axes {
  std::vector<std::size_t> axes, lengths;
  bool is_repeated = false;  ///< some axis is there twice
};

/// What fftn makes of s and axes. `default_axes` stands for axes where that is not given. From a
/// half spectrum the length along the last axis is 2 (bins - 1) unless s says otherwise.
/// invalid_argument: an axis out of range, s and axes of different sizes, a length below 1.
PAPILIO_API grid_axes checked_grid(const char* function, const index_list& s,
                                   const index_list& axes, const index_list& default_axes,
                                   std::span<const std::size_t> extents, bool from_half_spectrum);

/// The factor that a direction carries under a normalization.
PAPILIO_API fft_scaling scaling_of(normalization norm, direction dir);

/// The normalization under which the other direction has this one's factor.
PAPILIO_API normalization swapped(normalization norm);

/// shape_error unless the extents are equal.
PAPILIO_API void require_out_extents(const char* function, std::span<const std::size_t> got,
                                     std::span<const std::size_t> expected);

/// shape_error unless out has these extents and no two of its elements can share an address.
template <class T, std::size_t Rank>
void require_out(const char* function, const view<T, Rank>& out,
                 const extents_type<Rank>& expected) {
  require_out_extents(function, out.extents(), expected);
  base_detail::require_distinct(function, out);
}

}  // namespace papilio::transform_detail

#include <algorithm>
#include <string>

#include "fft/line.hpp"
#include "papilio/base/error.hpp"
#include "papilio/transform/grids.hpp"
#include "papilio/transform/run.hpp"

namespace papilio::transform_detail {
namespace {

std::string joined(std::span<const std::size_t> extents) {
  std::string text;
  for (std::size_t e : extents) text.append(text.empty() ? "" : " x ").append(std::to_string(e));
  return text;
}

std::size_t checked_positive(const char* function, std::ptrdiff_t n) {
  if (n < 1)
    throw invalid_argument(base_detail::message(function, ": n must be at least 1, got ", n));
  return static_cast<std::size_t>(n);
}

}  // namespace

std::size_t checked_axis(const char* function, std::ptrdiff_t axis, std::size_t rank) {
  const auto count = static_cast<std::ptrdiff_t>(rank);
  if (axis < -count || axis >= count)
    throw invalid_argument(base_detail::message(function, ": axis must be in ", -count, " ... ",
                                                count - 1, ", got ", axis));
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::size_t checked_length(const char* function, std::optional<std::ptrdiff_t> n,
                           std::size_t extent) {
  return checked_positive(function, n.value_or(static_cast<std::ptrdiff_t>(extent)));
}

std::size_t checked_real_length(const char* function, std::optional<std::ptrdiff_t> n,
                                std::size_t bins) {
  return checked_positive(function, n.value_or(2 * (static_cast<std::ptrdiff_t>(bins) - 1)));
}

grid_axes checked_grid(const char* function, const index_list& s, const index_list& axes,
                       const index_list& default_axes, std::span<const std::size_t> extents,
                       bool from_half_spectrum) {
  const std::size_t rank = extents.size();
  grid_axes grid;
  const index_list& chosen = axes.is_given() ? axes : default_axes;
  if (chosen.is_given()) {
    for (std::ptrdiff_t axis : chosen.values())
      grid.axes.push_back(checked_axis(function, axis, rank));
  } else {
    const std::size_t count = s.is_given() ? s.values().size() : rank;
    if (count > rank)
      throw invalid_argument(
          base_detail::message(function, ": s must have at most ", rank, " lengths, got ", count));
    for (std::size_t axis = rank - count; axis < rank; ++axis) grid.axes.push_back(axis);
  }
  const std::size_t count = grid.axes.size();
  if (s.is_given() && s.values().size() != count)
    throw invalid_argument(base_detail::message(function, ": s must have one length for each of ",
                                                count, " axes, got ", s.values().size()));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t extent = extents[grid.axes[i]];
    const std::ptrdiff_t asked = s.is_given() ? s.values()[i] : -1;
    if (from_half_spectrum && !s.is_given() && i + 1 == count) {
      grid.lengths.push_back(checked_real_length(function, std::nullopt, extent));
    } else {
      grid.lengths.push_back(
          checked_length(function, asked == -1 ? std::nullopt : std::optional(asked), extent));
    }
    const auto before = std::span(grid.axes).first(i);
    grid.is_repeated |= std::ranges::find(before, grid.axes[i]) != before.end();
  }
  return grid;
}

void require_an_axis(const char* function, const grid_axes& grid) {
  if (grid.axes.empty())
    throw invalid_argument(base_detail::message(function, ": axes must name at least one, got 0"));
}

void require_gradient_extents(const char* function, const grid_axes& grid,
                              std::span<const std::size_t> gradient, bool is_of_bins) {
  require_an_axis(function, grid);
  for (std::size_t i = 0; i < grid.axes.size(); ++i) {
    const bool is_halved = is_of_bins && i + 1 == grid.axes.size();
    const std::size_t points = grid.lengths[i], got = gradient[grid.axes[i]];
    if (got != (is_halved ? points / 2 + 1 : points))
      throw shape_error(base_detail::message(function, ": of ", points, " points along axis ",
                                             grid.axes[i], " the gradient must have ",
                                             is_halved ? points / 2 + 1 : points, ", got ", got));
  }
}

void require_gradient(const char* function, std::size_t expected, std::size_t got) {
  if (got != expected)
    throw shape_error(base_detail::message(function, ": gradient must have ", expected,
                                           " elements along the axis, got ", got));
}

normalization swapped(normalization norm) { return fft_detail::swapped(norm); }

void require_extents(const char* function, const char* argument, std::span<const std::size_t> got,
                     std::span<const std::size_t> expected) {
  if (!std::ranges::equal(got, expected))
    throw shape_error(base_detail::message(function, ": ", argument, " must have extents ",
                                           joined(expected), ", got ", joined(got)));
}

}  // namespace papilio::transform_detail

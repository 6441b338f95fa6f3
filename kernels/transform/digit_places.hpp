#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/fields.hpp"
#include "papilio/engine/operand.hpp"

// Where numbers of lines lie in a tile, by the digits of their points or rows: some digits count
// partitions, others columns.
namespace papilio::kernels_detail {

/// Numbers of an axis that count no digit of a point:
///   plane    real parts, imaginary parts
///   line     lines of a tile
///   mirror   of the rows of half a spectrum: bins as they are, conjugates of bins
inline constexpr int plane_axis = -1, line_axis = -2, mirror_axis = -3;

/// An axis over a digit, or over a part of it: value / unit % extent, `stride` elements apart.
struct digit_axis {
  int digit = 0;
  std::int64_t extent = 1, unit = 1, stride = 0;

  auto fields() const { return std::tie(digit, extent, unit, stride); }
};
using digit_axes = std::vector<digit_axis>;  ///< slowest first

/// A value of each digit, and of the axes that are none.
class digit_values {
 public:
  std::int64_t& operator[](int digit) { return values_[std::size_t(digit + 3)]; }
  std::int64_t operator[](int digit) const { return values_[std::size_t(digit + 3)]; }

 private:
  std::array<std::int64_t, 6> values_ = {};
};

struct digit_place {
  digit_axes partitions = {}, columns = {};

  auto fields() const { return std::tie(partitions, columns); }
};

/// The axes with strides that leave no gap between them.
digit_axes packed(digit_axes axes);
std::int64_t count_of(const digit_axes& axes);
/// Elements of a tile with all values of the slowest axis.
std::int64_t room_of(const digit_axes& axes);
/// Elements from the first to the last, both included.
std::int64_t span_of(const digit_axes& axes);
bool has_axis(const digit_axes& axes, int digit);
digit_axes without(const digit_axes& axes, int digit);
/// The values of element `index` in the order of the axes, added to `from`.
digit_values values_at(const digit_axes& axes, std::int64_t index, digit_values from = {});
std::int64_t offset_of(const digit_values& values, const digit_axes& within);
/// From one value of an axis to the next, where `within` may hold more of its digit; 0 where it has
/// none of it.
std::int64_t stride_of(const digit_axis& axis, const digit_axes& within);
/// The pattern of `some` axes within others.
std::vector<engine::pattern_dim> levels_of(const digit_axes& some, const digit_axes& within);
/// The axes as outer ones and inner ones of at most so many elements.
std::pair<digit_axes, digit_axes> split(digit_axes axes, std::int64_t inner_most);

}  // namespace papilio::kernels_detail

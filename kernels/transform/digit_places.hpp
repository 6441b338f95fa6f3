#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/fields.hpp"
#include "papilio/engine/operand.hpp"

// Layouts of lines in a tile whose digits count partitions and columns: address = sum over axes of
// (digit / unit % extent) stride, for some digits on partitions, for the others along columns.
namespace papilio::kernels_detail {

/// Axes that count no digit of a point have negative numbers:
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

/// A value for each digit, and for the axes that are no digits.
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

/// The axes with strides that leave no gaps.
digit_axes packed(digit_axes axes);
std::int64_t count_of(const digit_axes& axes);
/// Elements of a tile for all values of the slowest axis.
std::int64_t room_of(const digit_axes& axes);
/// Number of elements from the first to the last, both included.
std::int64_t span_of(const digit_axes& axes);
bool has_axis(const digit_axes& axes, int digit);
digit_axes without(const digit_axes& axes, int digit);
/// The values of element `index` in the order of the axes, added to `from`.
digit_values values_at(const digit_axes& axes, std::int64_t index, digit_values from = {});
std::int64_t offset_of(const digit_values& values, const digit_axes& within);
/// Stride of an axis in a layout that may hold more of its digit; 0 where it holds none of it.
std::int64_t stride_of(const digit_axis& axis, const digit_axes& within);
/// The access pattern of `some` axes in the layout `within`.
std::vector<engine::pattern_dim> levels_of(const digit_axes& some, const digit_axes& within);
/// Splits axes into outer ones and inner ones of at most so many elements.
std::pair<digit_axes, digit_axes> split(digit_axes axes, std::int64_t inner_most);

}  // namespace papilio::kernels_detail

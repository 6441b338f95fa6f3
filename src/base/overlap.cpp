#include "papilio/base/overlap.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio::base_detail {
namespace {

std::size_t magnitude(std::ptrdiff_t stride) {
  return stride < 0 ? std::size_t{0} - static_cast<std::size_t>(stride)
                    : static_cast<std::size_t>(stride);
}

bool is_empty(std::span<const std::size_t> extents) {
  return std::ranges::find(extents, std::size_t{0}) != extents.end();
}

template <class Number>
std::string listed(std::span<const Number> numbers, const char* between) {
  std::string text;
  for (const Number x : numbers) text.append(text.empty() ? "" : between).append(std::to_string(x));
  return text;
}

}  // namespace

byte_range reach(const void* data, std::size_t element_bytes, std::span<const std::size_t> extents,
                 std::span<const std::ptrdiff_t> strides) {
  if (is_empty(extents)) return {};
  constexpr const char* what = "view: bytes between its outermost elements";
  std::size_t below = 0, above = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const std::size_t span = checked_multiply(magnitude(strides[axis]), extents[axis] - 1, what);
    std::size_t& side = strides[axis] < 0 ? below : above;
    side = checked_add(side, span, what);
  }
  const std::size_t elements = checked_add(checked_add(below, above, what), std::size_t{1}, what);
  checked_cast<std::ptrdiff_t>(checked_multiply(elements, element_bytes, what), what);
  const auto base = reinterpret_cast<std::uintptr_t>(data);
  return {base - below * element_bytes, base + (above + 1) * element_bytes};
}

void require_distinct(const char* function, std::span<const std::size_t> extents,
                      std::span<const std::ptrdiff_t> strides) {
  if (is_empty(extents)) return;
  // The common case: rows of neighbours, in the order of the axes.
  std::size_t dense = 1;
  bool is_dense = true;
  for (std::size_t axis = extents.size(); axis-- > 0 && is_dense;) {
    is_dense = extents[axis] == 1 || strides[axis] == static_cast<std::ptrdiff_t>(dense);
    if (__builtin_mul_overflow(dense, extents[axis], &dense)) is_dense = false;
  }
  if (is_dense && dense <= std::size_t{PTRDIFF_MAX}) return;
  std::vector<std::pair<std::size_t, std::size_t>> steps;  // magnitude of the stride, extent
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] > 1) steps.emplace_back(magnitude(strides[axis]), extents[axis]);
  std::ranges::sort(steps);
  std::size_t spanned = 0;
  for (const auto& [step, extent] : steps) {
    if (step <= spanned)
      throw shape_error(message(function,
                                ": every axis of out must step over the whole of those with "
                                "smaller strides; extents are ",
                                listed(extents, " x "), ", strides ", listed(strides, ", ")));
    constexpr const char* what = "out: elements between its outermost ones";
    spanned = checked_add(spanned, checked_multiply(step, extent - 1, what), what);
  }
}

}  // namespace papilio::base_detail

#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>

#include "papilio/base/checked.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

template <std::size_t Rank>
using extents_type = std::array<std::size_t, Rank>;
template <std::size_t Rank>
using strides_type = std::array<std::ptrdiff_t, Rank>;

namespace base_detail {

/// As row_major_strides, into as many strides as there are extents; elements of the last axis are
/// `step` apart.
template <class Extents, class Strides>
constexpr void set_row_major(const Extents& extents, Strides& strides, std::size_t step = 1) {
  // Unsigned: beside an extent of 0 the others may be anything, and their product may wrap.
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = static_cast<typename Strides::value_type>(step);
    step *= static_cast<std::size_t>(extents[axis]);
  }
}

}  // namespace base_detail

/// Strides of a row-major (C order) array, in elements.
template <std::size_t Rank>
constexpr strides_type<Rank> row_major_strides(const extents_type<Rank>& extents) {
  strides_type<Rank> strides{};
  base_detail::set_row_major(extents, strides);
  return strides;
}

/// Non-owning strided array: a pointer, extents, and signed strides in elements.
/// Copying a view copies the reference, never the data. Indexing is checked by assertion only.
template <class T, std::size_t Rank>
class view {
  static_assert(Rank >= 1);

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  static constexpr std::size_t rank = Rank;

  constexpr view() = default;

  /// Row-major view of extents[0] * ... elements at `data`.
  constexpr view(T* data, const extents_type<Rank>& extents)
      : data_(data), extents_(extents), strides_(row_major_strides(extents)) {}

  constexpr view(T* data, const extents_type<Rank>& extents, const strides_type<Rank>& strides)
      : data_(data), extents_(extents), strides_(strides) {}

  /// The whole of a contiguous range (vector, span, std::array), rank 1 only.
  template <std::ranges::contiguous_range Range>
    requires(Rank == 1 && std::ranges::sized_range<Range> &&
             std::is_convertible_v<
                 std::remove_reference_t<std::ranges::range_reference_t<Range>> (*)[], T (*)[]>)
  explicit constexpr view(Range&& range)
      : view(std::ranges::data(range), {std::ranges::size(range)}) {}

  /// view<T> to view<const T>.
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  constexpr view(const view<U, Rank>& other)
      : data_(other.data()), extents_(other.extents()), strides_(other.strides()) {}

  constexpr T* data() const { return data_; }
  constexpr const extents_type<Rank>& extents() const { return extents_; }
  constexpr const strides_type<Rank>& strides() const { return strides_; }
  constexpr std::size_t extent(std::size_t axis) const { return extents_[axis]; }
  constexpr std::ptrdiff_t stride(std::size_t axis) const { return strides_[axis]; }

  /// Number of elements.
  constexpr std::size_t size() const {
    std::size_t count = 1;
    for (std::size_t e : extents_) count *= e;
    return count;
  }
  constexpr bool empty() const { return size() == 0; }

  /// Whether the elements lie in memory in row-major order without gaps.
  constexpr bool is_contiguous() const {
    if (empty()) return true;
    const strides_type<Rank> gapless = row_major_strides(extents_);
    for (std::size_t axis = 0; axis < Rank; ++axis)
      if (extents_[axis] != 1 && strides_[axis] != gapless[axis]) return false;
    return true;
  }

  template <class... Index>
    requires(sizeof...(Index) == Rank && (std::is_convertible_v<Index, std::size_t> && ...))
  constexpr T& operator()(Index... index) const {
    const extents_type<Rank> position{static_cast<std::size_t>(index)...};
    std::ptrdiff_t offset = 0;
    for (std::size_t axis = 0; axis < Rank; ++axis) {
      assert(position[axis] < extents_[axis]);
      offset += static_cast<std::ptrdiff_t>(position[axis]) * strides_[axis];
    }
    return data_[offset];
  }

  /// Element (rank 1) or the sub-view of one index less.
  constexpr decltype(auto) operator[](std::size_t index) const {
    assert(index < extents_[0]);
    T* const start = data_ + static_cast<std::ptrdiff_t>(index) * strides_[0];
    if constexpr (Rank == 1) {
      return static_cast<T&>(*start);
    } else {
      extents_type<Rank - 1> extents;
      strides_type<Rank - 1> strides;
      for (std::size_t axis = 1; axis < Rank; ++axis) {
        extents[axis - 1] = extents_[axis];
        strides[axis - 1] = strides_[axis];
      }
      return view<T, Rank - 1>(start, extents, strides);
    }
  }

  /// Elements [first, first + count) along `axis`; shape_error if they are not all there.
  constexpr view slice(std::size_t axis, std::size_t first, std::size_t count) const {
    if (axis >= Rank || first > extents_[axis] || count > extents_[axis] - first)
      throw shape_error(base_detail::message("view::slice: axis ", axis, ", first ", first,
                                             ", count ", count, " is outside the view"));
    view result = *this;
    if (count > 0) result.data_ += static_cast<std::ptrdiff_t>(first) * strides_[axis];
    result.extents_[axis] = count;
    return result;
  }

 private:
  T* data_ = nullptr;
  extents_type<Rank> extents_{};
  strides_type<Rank> strides_{};
};

template <std::ranges::contiguous_range Range>
view(Range&&) -> view<std::remove_reference_t<std::ranges::range_reference_t<Range>>, 1>;

}  // namespace papilio

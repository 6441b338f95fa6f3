#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "papilio/base/error.hpp"
#include "papilio/base/export.hpp"

namespace papilio {

/// Extents of an array, in elements along each axis.
template <std::size_t Rank>
using extents_type = std::array<std::size_t, Rank>;
/// Strides of an array, in elements along each axis.
template <std::size_t Rank>
using strides_type = std::array<std::ptrdiff_t, Rank>;

namespace base_detail {

/// Writes the row-major strides of extents; elements of the last axis are `step` apart.
template <class Extents, class Strides>
constexpr void set_row_major(const Extents& extents, Strides& strides, std::size_t step = 1) {
  // Unsigned: beside an extent of 0 the others may be anything, and their product may wrap.
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = static_cast<typename Strides::value_type>(step);
    step *= static_cast<std::size_t>(extents[axis]);
  }
}

}  // namespace base_detail

/// Returns the strides, in elements, of a row-major (C order) array.
template <std::size_t Rank>
constexpr strides_type<Rank> row_major_strides(const extents_type<Rank>& extents) {
  strides_type<Rank> strides{};
  base_detail::set_row_major(extents, strides);
  return strides;
}

/// Non-owning strided array: a pointer, extents, and signed strides in elements. Copying a view
/// never copies the elements. Indices are checked by assertion only.
template <class T, std::size_t Rank>
class view {
  static_assert(Rank >= 1);

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  static constexpr std::size_t rank = Rank;

  constexpr view() = default;

  /// Row-major view of the extents[0] * ... * extents[Rank-1] elements at `data`.
  constexpr view(T* data, const extents_type<Rank>& extents)
      : data_(data), extents_(extents), strides_(row_major_strides(extents)) {}

  /// View with the given strides, in elements.
  constexpr view(T* data, const extents_type<Rank>& extents, const strides_type<Rank>& strides)
      : data_(data), extents_(extents), strides_(strides) {}

  /// View of a whole contiguous range (vector, span, std::array); rank 1 only.
  template <std::ranges::contiguous_range Range>
    requires(Rank == 1 && std::ranges::sized_range<Range> &&
             std::is_convertible_v<
                 std::remove_reference_t<std::ranges::range_reference_t<Range>> (*)[], T (*)[]>)
  explicit constexpr view(Range&& range)
      : view(std::ranges::data(range), {std::ranges::size(range)}) {}

  /// Converts view<T> to view<const T>.
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  constexpr view(const view<U, Rank>& other)
      : data_(other.data()), extents_(other.extents()), strides_(other.strides()) {}

  constexpr T* data() const { return data_; }
  constexpr const extents_type<Rank>& extents() const { return extents_; }
  constexpr const strides_type<Rank>& strides() const { return strides_; }
  constexpr std::size_t extent(std::size_t axis) const { return extents_[axis]; }
  constexpr std::ptrdiff_t stride(std::size_t axis) const { return strides_[axis]; }

  /// Number of elements, the product of the extents.
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

  /// Returns the element (rank 1) or the sub-view at `index` along the first axis.
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

  /// View of the elements [first, first + count) along `axis`.
  /// Throws shape_error if axis >= Rank or the elements are not all in the view.
  constexpr view slice(std::size_t axis, std::size_t first, std::size_t count) const {
    if (axis >= Rank || first > extents_[axis] || count > extents_[axis] - first)
      throw shape_error(base_detail::message("view::slice: axis ", axis, ", first ", first,
                                             ", count ", count, " is outside the view"));
    view result = *this;
    if (count > 0) result.data_ += static_cast<std::ptrdiff_t>(first) * strides_[axis];
    result.extents_[axis] = count;
    return result;
  }

  /// View of the elements with the axes in reverse order: of [frames, channels] as [channels,
  /// frames].
  constexpr view transposed() const {
    view result = *this;
    for (std::size_t axis = 0; axis < Rank; ++axis) {
      result.extents_[axis] = extents_[Rank - 1 - axis];
      result.strides_[axis] = strides_[Rank - 1 - axis];
    }
    return result;
  }

 private:
  T* data_ = nullptr;
  extents_type<Rank> extents_{};
  strides_type<Rank> strides_{};
};

template <std::ranges::contiguous_range Range>
view(Range&&) -> view<std::remove_reference_t<std::ranges::range_reference_t<Range>>, 1>;

/// Alignment of every array's first element in bytes: a cache line, and the widest vector register.
inline constexpr std::size_t array_alignment_bytes = 64;

namespace base_detail {
/// Allocates memory aligned to a cache line; large blocks in pages of 2 MiB where the system has
/// them, since strided access to many small pages costs a page walk each.
/// Throws resource_error if the allocation fails.
PAPILIO_API void* allocate(std::size_t bytes);
PAPILIO_API void release(void* memory);
}  // namespace base_detail

/// Tag of constructors that leave the elements uninitialised, to be written before they are read.
struct uninitialized_t {};
inline constexpr uninitialized_t uninitialized;

/// Owning row-major array, aligned to 64 bytes. Elements are zero unless `uninitialized` is given.
/// Copies are deep; a moved-from array is empty.
/// Throws resource_error if the size in bytes overflows or the allocation fails.
template <class T, std::size_t Rank>
class array {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;

  array() = default;
  explicit array(const extents_type<Rank>& extents) : array(extents, uninitialized) {
    std::uninitialized_value_construct_n(data_.get(), size_);
  }
  array(const extents_type<Rank>& extents, uninitialized_t) : extents_(extents) {
    const std::size_t count = checked_count(extents, "array: size");
    if (count == 0) return;
    const std::size_t bytes = checked_multiply(count, sizeof(T), "array: size in bytes");
    data_.reset(static_cast<T*>(base_detail::allocate(bytes)));
    size_ = count;
  }
  explicit array(std::size_t count)
    requires(Rank == 1)
      : array(extents_type<1>{count}) {}

  array(std::size_t count, uninitialized_t)
    requires(Rank == 1)
      : array(extents_type<1>{count}, uninitialized) {}

  array(const array& other) : array(other.extents_, uninitialized) {
    std::copy(other.data(), other.data() + other.size(), data());
  }
  array(array&& other) noexcept { swap(other); }
  array& operator=(array other) noexcept {
    swap(other);
    return *this;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const extents_type<Rank>& extents() const { return extents_; }
  std::size_t extent(std::size_t axis) const { return extents_[axis]; }

  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

  papilio::view<T, Rank> view() { return {data(), extents_}; }
  papilio::view<const T, Rank> view() const { return {data(), extents_}; }
  operator papilio::view<T, Rank>() { return view(); }
  operator papilio::view<const T, Rank>() const { return view(); }

  /// All elements in row-major order.
  std::span<T> flat() { return {data(), size_}; }
  std::span<const T> flat() const { return {data(), size_}; }

  template <class... Index>
  T& operator()(Index... index) {
    return view()(index...);
  }
  template <class... Index>
  const T& operator()(Index... index) const {
    return view()(index...);
  }
  decltype(auto) operator[](std::size_t index) { return view()[index]; }
  decltype(auto) operator[](std::size_t index) const { return view()[index]; }

 private:
  struct release {
    void operator()(T* memory) const { base_detail::release(memory); }
  };
  void swap(array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(extents_, other.extents_);
  }

  std::unique_ptr<T, release> data_;
  std::size_t size_ = 0;
  extents_type<Rank> extents_{};
};

/// Complex vector stored as separate real and imaginary planes (planar, "split" complex).
template <class T>
class split_view {
 public:
  constexpr split_view() = default;

  /// View of re[k] + i im[k], k = 0 ... re.size() - 1.
  /// Throws shape_error if the lengths differ.
  constexpr split_view(std::span<T> re, std::span<T> im) : re_(re), im_(im) {
    if (re.size() != im.size())
      throw shape_error(
          base_detail::message("split_view: re has ", re.size(), " elements, im has ", im.size()));
  }

  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  constexpr split_view(const split_view<U>& other) : re_(other.re()), im_(other.im()) {}

  constexpr std::span<T> re() const { return re_; }
  constexpr std::span<T> im() const { return im_; }
  constexpr std::size_t size() const { return re_.size(); }

 private:
  std::span<T> re_, im_;
};

}  // namespace papilio

#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

/// Most axes of a tensor_view, the number that numpy 1 allows.
inline constexpr std::size_t max_tensor_rank = 32;

/// Non-owning strided array whose rank is known only at run time: a pointer, extents, and signed
/// strides in elements. Rank 0 is a single element. Copying a view never copies the elements.
template <class T>
class tensor_view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  /// Empty view of rank 1 and extent 0.
  tensor_view() : rank_(1) {
    extents_[0] = 0;
    strides_[0] = 1;
  }

  /// Row-major view. Throws shape_error if there are more than max_tensor_rank axes.
  tensor_view(T* data, std::span<const std::size_t> extents) : data_(data) {
    set_extents(extents);
    base_detail::set_row_major(extents, strides_);
  }

  /// View with the given strides, in elements.
  /// Throws shape_error for more than max_tensor_rank axes, or unless each extent has a stride.
  tensor_view(T* data, std::span<const std::size_t> extents,
              std::span<const std::ptrdiff_t> strides)
      : data_(data) {
    set_extents(extents);
    if (strides.size() != extents.size())
      throw shape_error(base_detail::message("tensor_view: ", extents.size(), " extents need as ",
                                             "many strides, got ", strides.size()));
    std::copy(strides.begin(), strides.end(), strides_.begin());
  }

  template <class U, std::size_t Rank>
    requires(std::is_convertible_v<U (*)[], T (*)[]>)
  tensor_view(const view<U, Rank>& v) : tensor_view(v.data(), v.extents(), v.strides()) {}
  template <class U, std::size_t Rank>
    requires(std::is_convertible_v<U (*)[], T (*)[]>)
  tensor_view(array<U, Rank>& a) : tensor_view(a.view()) {}
  template <class U, std::size_t Rank>
    requires(std::is_convertible_v<const U (*)[], T (*)[]>)
  tensor_view(const array<U, Rank>& a) : tensor_view(a.view()) {}
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  tensor_view(const tensor_view<U>& other)
      : tensor_view(other.data(), other.extents(), other.strides()) {}

  tensor_view(const tensor_view& other) noexcept : data_(other.data_), rank_(other.rank_) {
    copy_axes(other);
  }
  tensor_view& operator=(const tensor_view& other) noexcept {
    data_ = other.data_;
    rank_ = other.rank_;
    copy_axes(other);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t rank() const { return rank_; }
  std::span<const std::size_t> extents() const { return {extents_.data(), rank_}; }
  std::span<const std::ptrdiff_t> strides() const { return {strides_.data(), rank_}; }
  std::size_t extent(std::size_t axis) const { return extents_[axis]; }
  std::ptrdiff_t stride(std::size_t axis) const { return strides_[axis]; }

  /// Number of elements, the product of the extents.
  std::size_t size() const {
    std::size_t count = 1;
    for (std::size_t e : extents()) count *= e;
    return count;
  }
  bool empty() const { return size() == 0; }

  /// View of the elements with the rank in its type. Throws shape_error if the rank is not Rank.
  template <std::size_t Rank>
  view<T, Rank> as() const {
    if (rank_ != Rank)
      throw shape_error(base_detail::message("tensor_view::as: rank ", rank_, " is not the ", Rank,
                                             " asked for"));
    extents_type<Rank> e;
    strides_type<Rank> s;
    std::copy(extents_.begin(), extents_.begin() + Rank, e.begin());
    std::copy(strides_.begin(), strides_.begin() + Rank, s.begin());
    return {data_, e, s};
  }

 private:
  // Copies rank_ axes only, as the arrays have room for max_tensor_rank.
  void copy_axes(const tensor_view& other) {
    std::copy(other.extents_.begin(), other.extents_.begin() + rank_, extents_.begin());
    std::copy(other.strides_.begin(), other.strides_.begin() + rank_, strides_.begin());
  }
  void set_extents(std::span<const std::size_t> extents) {
    if (extents.size() > max_tensor_rank)
      throw shape_error(base_detail::message("tensor_view: at most ", max_tensor_rank,
                                             " axes, got ", extents.size()));
    rank_ = extents.size();
    std::copy(extents.begin(), extents.end(), extents_.begin());
  }

  T* data_ = nullptr;
  std::size_t rank_;
  std::array<std::size_t, max_tensor_rank> extents_;  // not initialised beyond the rank
  std::array<std::ptrdiff_t, max_tensor_rank> strides_;
};

/// Owning row-major array, aligned to 64 bytes, whose rank is known only at run time; rank 0 has
/// one element. Elements are zero unless `uninitialized` is given. Copies are deep.
/// Throws shape_error if there are more than max_tensor_rank axes; resource_error if the size in
/// bytes overflows or the allocation fails.
template <class T>
class tensor {
 public:
  using value_type = T;

  /// Empty array of rank 1 and extent 0.
  tensor() : extents_{0} {}
  /// Array of zeros with these extents.
  explicit tensor(std::span<const std::size_t> extents) : tensor(extents, uninitialized) {
    for (T& element : flat()) element = T();
  }
  tensor(std::span<const std::size_t> extents, uninitialized_t)
      : extents_(extents.begin(), extents.end()), data_(count(extents), uninitialized) {}
  explicit tensor(std::initializer_list<std::size_t> extents)
      : tensor(std::span(extents.begin(), extents.size())) {}

  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
  std::size_t size() const { return data_.size(); }
  bool empty() const { return data_.empty(); }
  std::size_t rank() const { return extents_.size(); }
  std::span<const std::size_t> extents() const { return extents_; }
  std::size_t extent(std::size_t axis) const { return extents_[axis]; }

  tensor_view<T> view() { return {data(), extents_}; }
  tensor_view<const T> view() const { return {data(), extents_}; }
  operator tensor_view<T>() { return view(); }
  operator tensor_view<const T>() const { return view(); }

  /// All elements in row-major order.
  std::span<T> flat() { return {data(), size()}; }
  std::span<const T> flat() const { return {data(), size()}; }

  /// View of the elements with the rank in its type. Throws shape_error if the rank is not Rank.
  template <std::size_t Rank>
  papilio::view<T, Rank> as() {
    return view().template as<Rank>();
  }
  template <std::size_t Rank>
  papilio::view<const T, Rank> as() const {
    return view().template as<Rank>();
  }

 private:
  static std::size_t count(std::span<const std::size_t> extents) {
    if (extents.size() > max_tensor_rank)
      throw shape_error(
          base_detail::message("tensor: at most ", max_tensor_rank, " axes, got ", extents.size()));
    return checked_count(extents, "tensor: size");
  }

  std::vector<std::size_t> extents_;
  array<T, 1> data_;
};

}  // namespace papilio

namespace papilio::base_detail {

/// View whose rank is known only at run time; extents and strides (in elements) are elsewhere.
template <class T>
struct strided {
  T* data = nullptr;
  std::span<const std::size_t> extents;
  std::span<const std::ptrdiff_t> strides;

  std::size_t rank() const { return extents.size(); }
  bool empty() const {
    for (const std::size_t e : extents)
      if (e == 0) return true;
    return false;
  }
};

/// View of `v` without the rank in its type; valid while `v` lives.
template <class T, std::size_t Rank>
strided<T> any_rank(const view<T, Rank>& v) {
  return {v.data(), v.extents(), v.strides()};
}
template <class T, std::size_t Rank>
strided<T> any_rank(const view<T, Rank>&& v) = delete;

}  // namespace papilio::base_detail

namespace papilio {

/// Strided array whose element type and rank are known only at run time. Void is void or const
/// void. Extents and strides (in elements) are those of the original view, which must outlive it.
template <class Void>
struct untyped_view {
  Void* data = nullptr;
  std::span<const std::size_t> extents;
  std::span<const std::ptrdiff_t> strides;

  untyped_view(Void* memory, std::span<const std::size_t> sizes,
               std::span<const std::ptrdiff_t> steps)
      : data(memory), extents(sizes), strides(steps) {}
  template <class T, std::size_t Rank>
    requires(std::is_const_v<Void> || !std::is_const_v<T>)
  explicit untyped_view(const view<T, Rank>& v)
      : data(v.data()), extents(v.extents()), strides(v.strides()) {}
  template <class T, std::size_t Rank>
  explicit untyped_view(view<T, Rank>&&) = delete;

  std::size_t rank() const { return extents.size(); }
  /// View as elements of type T, which is not checked.
  template <class T>
  base_detail::strided<T> of() const {
    return {static_cast<T*>(data), extents, strides};
  }
};

}  // namespace papilio

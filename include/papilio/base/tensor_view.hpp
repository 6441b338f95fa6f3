#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/view.hpp"

namespace papilio {

/// Most axes of a tensor_view, as numpy's.
inline constexpr std::size_t max_tensor_rank = 32;

/// Non-owning strided array whose rank is known only at run time: a pointer, extents, and signed
/// strides in elements. Rank 0 is a single element. Copying refers to the same data.
template <class T>
class tensor_view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  /// Rank 1, nothing in it.
  tensor_view() : rank_(1) {
    extents_[0] = 0;
    strides_[0] = 1;
  }

  /// Row-major; shape_error beyond max_tensor_rank axes.
  tensor_view(T* data, std::span<const std::size_t> extents) : data_(data) {
    set_extents(extents);
    base_detail::set_row_major(extents, strides_);
  }

  /// shape_error beyond max_tensor_rank axes and unless there is a stride for each extent.
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

  /// Number of elements.
  std::size_t size() const {
    std::size_t count = 1;
    for (std::size_t e : extents()) count *= e;
    return count;
  }
  bool empty() const { return size() == 0; }

  /// The same with its rank in the type; shape_error unless it has that rank.
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
  // Of what is there only: the room for all axes is much more.
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

}  // namespace papilio

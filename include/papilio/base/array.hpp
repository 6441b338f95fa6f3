#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "papilio/base/checked.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"

namespace papilio {

/// Alignment of every array's first element: a cache line, and the widest vector register.
inline constexpr std::size_t array_alignment_bytes = 64;

namespace base_detail {
/// Memory aligned to a cache line; large pieces in pages of 2 MiB where the system has them, since
/// strided access to many small pages costs a page walk each. resource_error if it cannot be had.
PAPILIO_API void* allocate(std::size_t bytes);
PAPILIO_API void release(void* memory);
}  // namespace base_detail

/// Leaves the elements of a new array as they are, for one that is written before it is read.
struct uninitialized_t {};
inline constexpr uninitialized_t uninitialized;

/// Owning row-major array, aligned to 64 bytes, zero-initialised. Copies are deep.
/// Throws resource_error where the size in bytes overflows or the memory cannot be had.
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

}  // namespace papilio

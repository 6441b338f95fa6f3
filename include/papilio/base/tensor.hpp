#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/tensor_view.hpp"

namespace papilio {

/// Owning row-major array, aligned to 64 bytes, whose rank is known only at run time; rank 0 has
/// one element. Copies are deep. shape_error beyond max_tensor_rank axes, resource_error where the
/// size in bytes overflows or the memory cannot be had.
template <class T>
class tensor {
 public:
  using value_type = T;

  /// Rank 1, nothing in it.
  tensor() : extents_{0} {}
  /// Zeros.
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

  /// With its rank in the type; shape_error unless it has that rank.
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

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/dispatch/resident.hpp"

namespace papilio {

/// A resident array whose rank is known only at run time: made of `resident`, or by operations
/// whose results have various ranks. What is said of `resident` holds of it. At least one axis.
template <resident_element T>
class resident_tensor {
 public:
  using value_type = T;

  resident_tensor() = default;
  /// device_error if its accelerator is gone.
  template <std::size_t Rank>
  resident_tensor(const resident<T, Rank>& x) {
    if (!x.is_empty()) tensor_ = x.tensor("resident_tensor");
  }

  bool is_empty() const { return tensor_ == nullptr; }
  std::span<const std::size_t> extents() const {
    return is_empty() ? std::span<const std::size_t>() : tensor_->shape().extents;
  }
  std::size_t rank() const { return extents().size(); }
  std::size_t extent(std::size_t axis) const { return extents()[axis]; }
  std::size_t size() const { return is_empty() ? 0 : tensor_->shape().count(); }
  /// device_error if it is gone, or if there is none.
  accelerator& on() const { return tensor("resident_tensor::on")->on("resident_tensor::on"); }

  /// The same elements with their rank in the type; shape_error unless it has that rank,
  /// device_error if there are none.
  template <std::size_t Rank>
  resident<T, Rank> as() const {
    const shared_tensor& there = tensor("resident_tensor::as");
    if (rank() != Rank)
      throw shape_error(base_detail::message("resident_tensor::as: the array has ", rank(),
                                             " axes, asked for ", Rank));
    return resident<T, Rank>(there);
  }

  // What follows is for operations.
  explicit resident_tensor(shared_tensor tensor) : tensor_(std::move(tensor)) {}
  const shared_tensor& tensor(const char* function) const {
    if (is_empty())
      throw device_error(base_detail::message(function, ": the resident operand is empty"));
    tensor_->on(function);
    return tensor_;
  }

 private:
  shared_tensor tensor_;
};

/// Waits for the accelerator and copies an array back, as of `resident`.
template <resident_element T>
tensor<T> to_host(const resident_tensor<T>& x) {
  const shared_tensor& from = x.tensor("to_host");
  tensor<T> out(x.extents(), uninitialized);
  const tensor_view<T> to = out;
  dispatch_detail::downloaded(*from, untyped_view<void>(to.data(), to.extents(), to.strides()));
  return out;
}

}  // namespace papilio

#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <utility>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/dispatch/device_program.hpp"

namespace papilio {

/// Element type of device arrays: accelerators compute in float.
template <class T>
concept device_element = std::same_as<T, float> || std::same_as<T, std::complex<float>>;

/// Array in the memory of an accelerator: a handle, copies of which refer to the same elements,
/// freed with the last. Operations that take it run on its accelerator, whatever their policy, and
/// return device arrays: nothing is copied in between. Made by to_device and by operations; never
/// changed after that. Throws, in the operations that take it, invalid_argument if `execution::on`
/// names another accelerator, and device_error if its accelerator is gone or it is empty.
template <device_element T, std::size_t Rank>
class device_array {
 public:
  using value_type = T;
  static constexpr std::size_t rank = Rank;

  device_array() = default;

  bool is_empty() const { return tensor_ == nullptr; }
  const extents_type<Rank>& extents() const { return extents_; }
  std::size_t extent(std::size_t axis) const { return extents_[axis]; }
  std::size_t size() const {
    std::size_t count = 1;
    for (const std::size_t e : extents_) count *= e;
    return count;
  }
  /// Returns its accelerator. Throws device_error if it is gone, or the device array is empty.
  accelerator& on() const { return tensor("device_array::on")->on("device_array::on"); }

  // For operations of the library; not part of the public interface.
  explicit device_array(shared_tensor tensor) : tensor_(std::move(tensor)) {
    std::copy_n(tensor_->shape().extents.begin(), Rank, extents_.begin());
  }
  const shared_tensor& tensor(const char* function) const {
    if (tensor_ == nullptr)
      throw device_error(base_detail::message(function, ": the device array is empty"));
    tensor_->on(function);
    return tensor_;
  }

 private:
  shared_tensor tensor_;
  extents_type<Rank> extents_{};
};

/// Whether X is a device array with its rank in its type.
template <class X>
inline constexpr bool is_device_array = false;
template <device_element T, std::size_t Rank>
inline constexpr bool is_device_array<device_array<T, Rank>> = true;

namespace dispatch_detail {

PAPILIO_API shared_tensor uploaded(accelerator& on, const operand_shape& shape,
                                   const untyped_view<const void>& from);
PAPILIO_API void downloaded(device_tensor& from, const untyped_view<void>& to);
PAPILIO_API pending_run begin_download(device_tensor& from, const untyped_view<void>& to);

template <std::size_t Rank>
operand_shape shape_of(const extents_type<Rank>& extents, bool is_complex) {
  return {{extents.begin(), extents.end()}, is_complex};
}

}  // namespace dispatch_detail

/// Copies an array with any strides to the accelerator, in one upload. Inside capture() the array
/// is read when the graph is submitted, and must last that long.
/// Throws invalid_argument for an extent of 0, device_error if its memory does not suffice.
template <device_element T, std::size_t Rank>
device_array<T, Rank> to_device(accelerator& on, const view<const T, Rank>& x) {
  return device_array<T, Rank>(dispatch_detail::uploaded(
      on, dispatch_detail::shape_of<Rank>(x.extents(), !std::same_as<T, float>),
      untyped_view<const void>(x)));
}
template <device_element T, std::size_t Rank>
device_array<T, Rank> to_device(accelerator& on, const view<T, Rank>& x) {
  const view<const T, Rank> read = x;
  return to_device(on, read);
}
template <device_element T, std::size_t Rank>
device_array<T, Rank> to_device(accelerator& on, const array<T, Rank>& x) {
  return to_device(on, x.view());
}

template <std::ranges::contiguous_range Range>
  requires(std::ranges::sized_range<Range> && device_element<std::ranges::range_value_t<Range>>)
auto to_device(accelerator& on, const Range& x) {
  using T = std::ranges::range_value_t<Range>;
  return to_device(on, view<const T, 1>(std::ranges::data(x), {std::ranges::size(x)}));
}

/// Copies an array back after waiting for the accelerator, in one fetch. Inside capture() `out` is
/// written when the graph is submitted, and must last that long; the device array then belongs to
/// the graph, and nothing else may use it.
/// Throws shape_error unless the extents are equal.
template <device_element T, std::size_t Rank>
void to_host(const device_array<T, Rank>& x, const view<T, Rank>& out) {
  const shared_tensor& from = x.tensor("to_host");
  if (x.extents() != out.extents())
    throw shape_error("to_host: out must have the extents of the device array");
  dispatch_detail::downloaded(*from, untyped_view<void>(out));
}
template <device_element T, std::size_t Rank>
array<T, Rank> to_host(const device_array<T, Rank>& x) {
  const shared_tensor& from = x.tensor("to_host");
  array<T, Rank> out(x.extents());
  const view<T, Rank> to = out.view();
  dispatch_detail::downloaded(*from, untyped_view<void>(to));
  return out;
}

/// Begins a copy back and returns before it is done: `out` may be read after pending_run::wait, and
/// must last until then. The copy waits for the run that makes the device array, and for no other.
/// Throws as to_host, invalid_argument inside capture(), and device_error if the accelerator has no
/// asynchronous calls.
template <device_element T, std::size_t Rank>
pending_run to_host_async(const device_array<T, Rank>& x, const view<T, Rank>& out) {
  const shared_tensor& from = x.tensor("to_host_async");
  if (x.extents() != out.extents())
    throw shape_error("to_host_async: out must have the extents of the device array");
  return dispatch_detail::begin_download(*from, untyped_view<void>(out));
}

/// Device array whose rank is known only at run time, at least 1: made of a `device_array`, whose
/// rules hold for it too, or by operations whose results have various ranks.
template <device_element T>
class device_ndarray {
 public:
  using value_type = T;

  device_ndarray() = default;
  /// Refers to the same elements. Throws device_error if the accelerator is gone.
  template <std::size_t Rank>
  device_ndarray(const device_array<T, Rank>& x) {
    if (!x.is_empty()) tensor_ = x.tensor("device_ndarray");
  }

  bool is_empty() const { return tensor_ == nullptr; }
  std::span<const std::size_t> extents() const {
    return is_empty() ? std::span<const std::size_t>() : tensor_->shape().extents;
  }
  std::size_t rank() const { return extents().size(); }
  std::size_t extent(std::size_t axis) const { return extents()[axis]; }
  std::size_t size() const { return is_empty() ? 0 : tensor_->shape().count(); }
  /// Returns its accelerator. Throws device_error if it is gone, or the device array is empty.
  accelerator& on() const { return tensor("device_ndarray::on")->on("device_ndarray::on"); }

  /// Device array of the same elements with the rank in its type. Throws shape_error if the rank is
  /// not Rank, device_error if it is empty.
  template <std::size_t Rank>
  device_array<T, Rank> as() const {
    const shared_tensor& there = tensor("device_ndarray::as");
    if (rank() != Rank)
      throw shape_error(base_detail::message("device_ndarray::as: the array has ", rank(),
                                             " axes, asked for ", Rank));
    return device_array<T, Rank>(there);
  }

  // For operations of the library; not part of the public interface.
  explicit device_ndarray(shared_tensor tensor) : tensor_(std::move(tensor)) {}
  const shared_tensor& tensor(const char* function) const {
    if (is_empty())
      throw device_error(base_detail::message(function, ": the device array is empty"));
    tensor_->on(function);
    return tensor_;
  }

 private:
  shared_tensor tensor_;
};

/// Copies an array back after waiting for the accelerator, as a `device_array`.
template <device_element T>
tensor<T> to_host(const device_ndarray<T>& x) {
  const shared_tensor& from = x.tensor("to_host");
  tensor<T> out(x.extents(), uninitialized);
  const tensor_view<T> to = out;
  dispatch_detail::downloaded(*from, untyped_view<void>(to.data(), to.extents(), to.strides()));
  return out;
}

}  // namespace papilio

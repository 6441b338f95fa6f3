#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device_buffer.hpp"

namespace papilio::engine {

/// What host arrays that a device copies are made of.
template <class T>
concept host_element =
    std::same_as<T, float> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint8_t>;

template <host_element T>
inline constexpr dtype dtype_of = std::same_as<T, float>          ? dtype::fp32
                                  : std::same_as<T, std::int32_t> ? dtype::int32
                                                                  : dtype::uint8;

/// One operand of a launch: a buffer on the device, an array of the host, or (in a dry run) only
/// the shape that an array of the host would have. Arrays are referred to, not copied: they must
/// outlive the launch, and the submissions of a graph.
class PAPILIO_API launch_operand {
 public:
  enum class source : std::uint8_t { buffer, host, shape };

  source from() const { return from_; }
  /// As the device sees it.
  const tensor_shape& shape() const { return shape_; }

  // What follows is for the engine.
  const device_buffer& buffer() const { return buffer_; }
  std::byte* data() const { return data_; }
  dtype host_type() const { return host_type_; }
  std::span<const std::ptrdiff_t> strides() const { return strides_; }  ///< in elements
  bool is_contiguous() const;

 protected:
  launch_operand(const device_buffer& buffer);
  launch_operand(const tensor_shape& shape);
  launch_operand(std::byte* data, dtype host_type, std::span<const std::size_t> extents,
                 std::span<const std::ptrdiff_t> strides, dtype type);
  launch_operand(std::byte* data, std::size_t bytes, const tensor_shape& shape);

  void cut(const char* function, std::span<const std::int64_t> first,
           std::span<const std::int64_t> extents);
  void split(const char* function, int axis, std::int64_t outer);

 private:
  source from_;
  tensor_shape shape_;
  device_buffer buffer_;
  std::byte* data_ = nullptr;
  dtype host_type_ = dtype::fp32;
  std::vector<std::ptrdiff_t> strides_;
};

/// An input. An array is copied to the device as `type`, rounded to nearest even on the host;
/// float arrays become any floating-point type, others their own only (invalid_argument).
class PAPILIO_API launch_input : public launch_operand {
 public:
  launch_input(const device_buffer& buffer) : launch_operand(buffer) {}
  launch_input(const tensor_shape& shape) : launch_operand(shape) {}
  template <class T, std::size_t Rank>
    requires host_element<std::remove_const_t<T>>
  launch_input(const view<T, Rank>& array, dtype type = dtype_of<std::remove_const_t<T>>)
      : launch_operand(bytes_of(array.data()), dtype_of<std::remove_const_t<T>>, array.extents(),
                       array.strides(), type) {}
  template <host_element T, std::size_t Rank>
  launch_input(const array<T, Rank>& array, dtype type = dtype_of<T>)
      : launch_input(array.view(), type) {}
  /// Bytes as the device keeps them, row by row; shape_error unless as many as the shape has.
  launch_input(std::span<const std::byte> bytes, const tensor_shape& shape)
      : launch_operand(const_cast<std::byte*>(bytes.data()), bytes.size(), shape) {}

  /// An array whose rank is known at run time only: extents, and strides in elements.
  static launch_input strided(const void* data, dtype host_type,
                              std::span<const std::size_t> extents,
                              std::span<const std::ptrdiff_t> strides) {
    return launch_input(data, host_type, extents, strides);
  }

  /// Elements [first, first + extents) along each axis: of an array that part of it, of a shape a
  /// shape. invalid_argument of a buffer; shape_error unless it lies within.
  launch_input part(std::span<const std::int64_t> first,
                    std::span<const std::int64_t> extents) const {
    launch_input result = *this;
    result.cut("launch_input::part", first, extents);
    return result;
  }
  /// The same elements with an axis as two, the first of `outer`. invalid_argument of a buffer;
  /// shape_error for an axis that is none, and unless outer divides its extent.
  launch_input split_axis(int axis, std::int64_t outer) const {
    launch_input result = *this;
    result.split("launch_input::split_axis", axis, outer);
    return result;
  }

 private:
  launch_input(const void* data, dtype host_type, std::span<const std::size_t> extents,
               std::span<const std::ptrdiff_t> strides)
      : launch_operand(bytes_of(data), host_type, extents, strides, host_type) {}
  static std::byte* bytes_of(const void* data) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(data));
  }
};

/// An output. An array receives what the device holds as `type`; conversions as of launch_input,
/// to float exactly. The array is written when the whole launch went well, and not touched before.
class PAPILIO_API launch_output : public launch_operand {
 public:
  launch_output(const device_buffer& buffer) : launch_operand(buffer) {}
  launch_output(const tensor_shape& shape) : launch_operand(shape) {}
  template <host_element T, std::size_t Rank>
  launch_output(const view<T, Rank>& array, dtype type = dtype_of<T>)
      : launch_operand(reinterpret_cast<std::byte*>(array.data()), dtype_of<T>, array.extents(),
                       array.strides(), type) {}
  template <host_element T, std::size_t Rank>
  launch_output(array<T, Rank>& array, dtype type = dtype_of<T>)
      : launch_output(array.view(), type) {}
  launch_output(std::span<std::byte> bytes, const tensor_shape& shape)
      : launch_operand(bytes.data(), bytes.size(), shape) {}

  /// As launch_input::strided.
  static launch_output strided(void* data, dtype host_type, std::span<const std::size_t> extents,
                               std::span<const std::ptrdiff_t> strides) {
    return launch_output(data, host_type, extents, strides);
  }

  /// As launch_input::part and launch_input::split_axis.
  launch_output part(std::span<const std::int64_t> first,
                     std::span<const std::int64_t> extents) const {
    launch_output result = *this;
    result.cut("launch_output::part", first, extents);
    return result;
  }
  launch_output split_axis(int axis, std::int64_t outer) const {
    launch_output result = *this;
    result.split("launch_output::split_axis", axis, outer);
    return result;
  }

 private:
  launch_output(void* data, dtype host_type, std::span<const std::size_t> extents,
                std::span<const std::ptrdiff_t> strides)
      : launch_operand(static_cast<std::byte*>(data), host_type, extents, strides, host_type) {}
};

}  // namespace papilio::engine

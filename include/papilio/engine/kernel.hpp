#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine {

/// Holds extents (row-major) and element type of a tensor in device memory.
struct PAPILIO_API tensor_shape {
  std::vector<std::int64_t> extents;
  dtype type = dtype::fp32;

  int rank() const { return int(extents.size()); }
  /// Returns the number of elements. Throws shape_error unless there are 1 to hbm_view::dims_max
  /// extents, each at least 1; resource_error if the product exceeds 64 bits.
  std::int64_t elements() const;
  std::int64_t bytes() const;
  /// Returns "[128, 64] bf16", as in messages.
  std::string describe() const;

  bool operator==(const tensor_shape&) const = default;
};

/// Holds the tensors that a launch gives to a kernel, in the order of the launch.
class PAPILIO_API kernel_arguments {
 public:
  kernel_arguments() = default;
  kernel_arguments(std::vector<hbm_view> in, std::vector<hbm_view> out)
      : in_(std::move(in)), out_(std::move(out)) {}

  /// Returns an operand. Throws invalid_argument beyond the launch's operands.
  const hbm_view& in(std::size_t index) const;
  const hbm_view& out(std::size_t index) const;
  std::size_t inputs() const { return in_.size(); }
  std::size_t outputs() const { return out_.size(); }

 private:
  std::vector<hbm_view> in_, out_;
};

/// Describes a program of one core, whose instructions `body` issues. For equal name, parameters
/// and operand shapes, which identify a program on a device, it must issue the same instructions.
/// It must write every element of every output and may not write an input. In a group several host
/// threads call it at the same time.
///
///   const kernel twice{.name = "twice", .body = [](core& nc, const kernel_arguments& t) {
///     const tile x = nc.sbuf(128, t.in(0).extent(1));
///     nc.issue(dma_copy{.out = x.whole(), .in = t.in(0)});
///     nc.issue(tensor_tensor{.out = x, .left = x, .right = x});
///     nc.issue(dma_copy{.out = t.out(0), .in = x.whole()});
///   }};
struct kernel {
  std::string name = {};
  /// Text of what the body depends on besides its operands: "k=4".
  std::string parameters = {};
  std::function<void(core&, const kernel_arguments&)> body = {};
};

/// Reports what the machine refuses in a kernel. The message names the kernel, the instruction, its
/// index in the program, the operand, the bound and the value.
class PAPILIO_API kernel_error : public device_error {
 public:
  kernel_error(std::string kernel, std::string instruction, std::uint64_t index,
               std::string operand, const std::string& reason);
  ~kernel_error() override;

  const std::string& kernel() const noexcept { return kernel_; }
  /// Returns the opcode; empty if the fault was not an instruction's.
  const std::string& instruction() const noexcept { return instruction_; }
  std::uint64_t index() const noexcept { return index_; }
  const std::string& operand() const noexcept { return operand_; }

 private:
  std::string kernel_, instruction_, operand_;
  std::uint64_t index_;
};

}  // namespace papilio::engine

namespace papilio::engine_detail {
struct buffer_state;
}

namespace papilio::engine {

/// Refers to a tensor in the memory of a device. Copies refer to the same tensor, which is freed
/// with the last of them and may outlive the device. Made by device::allocate and upload.
class PAPILIO_API device_buffer {
 public:
  device_buffer() = default;

  bool empty() const { return state_ == nullptr; }
  /// Returns the tensor's shape. Throws invalid_argument if empty.
  const tensor_shape& shape() const;
  /// Returns whether it holds values, by an upload or a successful launch in execute mode.
  bool is_written() const;
  /// Returns whether two handles refer to the same tensor.
  bool operator==(const device_buffer& other) const { return state_ == other.state_; }

  // The engine uses these members; programs do not need them.
  explicit device_buffer(std::shared_ptr<engine_detail::buffer_state> state)
      : state_(std::move(state)) {}
  engine_detail::buffer_state* state() const { return state_.get(); }
  bool is_only_handle() const { return state_.use_count() == 1; }

 private:
  std::shared_ptr<engine_detail::buffer_state> state_;
};

/// Names the element types of host arrays that a device copies.
template <class T>
concept host_element =
    std::same_as<T, float> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint8_t>;

template <host_element T>
inline constexpr dtype dtype_of = std::same_as<T, float>          ? dtype::fp32
                                  : std::same_as<T, std::int32_t> ? dtype::int32
                                                                  : dtype::uint8;

/// Refers to one operand of a launch: a buffer on the device, an array of the host or, in a dry
/// run, only the shape of such an array. Arrays are not copied: they must outlive the launch and
/// the submissions of a graph.
class PAPILIO_API launch_operand {
 public:
  enum class source : std::uint8_t { buffer, host, shape };

  source from() const { return from_; }
  /// Returns the shape on the device.
  const tensor_shape& shape() const { return shape_; }

  // The engine uses these members; programs do not need them.
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

/// Refers to an input. An array is copied to the device as `type`, rounded to nearest even on the
/// host. float arrays convert to any floating-point type; others throw invalid_argument unless
/// `type` is their own.
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
  /// Refers to bytes in the device's format, row by row. Throws shape_error unless as many as the
  /// shape has.
  launch_input(std::span<const std::byte> bytes, const tensor_shape& shape)
      : launch_operand(const_cast<std::byte*>(bytes.data()), bytes.size(), shape) {}

  /// Refers to an array whose rank is known only at run time: extents, and strides in elements.
  static launch_input strided(const void* data, dtype host_type,
                              std::span<const std::size_t> extents,
                              std::span<const std::ptrdiff_t> strides) {
    return launch_input(data, host_type, extents, strides);
  }

  /// Selects elements [first, first + extents) along each axis of an array or shape. Throws
  /// invalid_argument for a buffer, shape_error out of range.
  launch_input part(std::span<const std::int64_t> first,
                    std::span<const std::int64_t> extents) const {
    launch_input result = *this;
    result.cut("launch_input::part", first, extents);
    return result;
  }
  /// Splits an axis into two, the first of `outer`. Throws invalid_argument for a buffer,
  /// shape_error for an axis out of range and unless outer divides its extent.
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

/// Refers to an output. An array receives the device's elements of `type`; conversions as in
/// launch_input, to float exactly. It is written only after the whole launch succeeded.
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

  /// Refers to an array of run-time rank, as launch_input::strided.
  static launch_output strided(void* data, dtype host_type, std::span<const std::size_t> extents,
                               std::span<const std::ptrdiff_t> strides) {
    return launch_output(data, host_type, extents, strides);
  }

  /// Selects a box or splits an axis, as launch_input::part and launch_input::split_axis.
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

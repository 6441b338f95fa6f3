#pragma once

#include <optional>

#include "kernels/operations/host_operand.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::operations_detail {

/// invalid_argument if it is not one: backends are asked for what they drive alone.
engine::device& device_of(accelerator& on);
const engine::device& device_of(const accelerator& on);

/// Elements of an operand on the device, row-major and flat: [count], or [2, count] of a complex
/// one, fp32.
engine::tensor_shape flat_shape(const operand_shape& shape);

/// A flat buffer. While runs are captured it may stand for an array of the host instead.
class memory_tensor final : public device_tensor {
 public:
  memory_tensor(accelerator& on, operand_shape shape);

  /// device_error, in the name of `function`, where there is none any more.
  const engine::device_buffer& buffer(const char* function) const;

  /// The same of an operand that is to be read: device_error, too, where nothing was written yet.
  const engine::device_buffer& written_buffer(const char* function) const;

  /// From now on it is an array of the host that a graph reads.
  void read_from(host_operand<const void> array);
  /// From now on it is an array of the host that a graph writes. invalid_argument if it was given
  /// away before.
  void write_to(host_operand<void> array);
  bool is_host_array() const { return source_ || target_; }
  /// invalid_argument if it was given away to a graph before.
  void require_not_given() const;

  /// For the launches of a graph.
  engine::launch_input graph_input() const;
  engine::launch_output graph_output() const;

 private:
  engine::device_buffer buffer_;
  std::optional<host_operand<const void>> source_;
  std::optional<host_operand<void>> target_;
};

const memory_tensor& memory_of(const device_tensor& tensor);
memory_tensor& memory_of(device_tensor& tensor);

}  // namespace papilio::operations_detail

#include "kernels/operations/device_runs.hpp"

#include <utility>

#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {

using base_detail::message;

engine::device_group* group_of(accelerator& on) { return dynamic_cast<engine::device_group*>(&on); }
const engine::device_group* group_of(const accelerator& on) {
  return dynamic_cast<const engine::device_group*>(&on);
}

engine::device& device_of(accelerator& on) {
  if (engine::device_group* const group = group_of(on)) return group->core(0);
  return dynamic_cast<engine::device&>(on);
}
const engine::device& device_of(const accelerator& on) {
  if (const engine::device_group* const group = group_of(on)) return group->core(0);
  return dynamic_cast<const engine::device&>(on);
}

engine::tensor_shape flat_shape(const operand_shape& shape) {
  const std::int64_t count = checked_cast<std::int64_t>(shape.count(), "device: size");
  return shape.is_complex ? engine::tensor_shape{{2, count}} : engine::tensor_shape{{count}};
}

memory_tensor::memory_tensor(accelerator& on, operand_shape shape)
    : device_tensor(on, std::move(shape)),
      operand_(device_of(on).allocate(flat_shape(this->shape()))) {}

const engine::device_buffer& memory_tensor::buffer(const char* function) const {
  if (!operand_.is_buffer())
    throw device_error(message(function, ": the device array belongs to a graph, as an array ",
                               "that it ", is_written_ ? "writes" : "reads"));
  return operand_.buffer();
}

const engine::device_buffer& memory_tensor::written_buffer(const char* function) const {
  if (engine::pending_call call = failed(); !call.empty()) call.wait();
  if (!buffer(function).is_written())
    throw device_error(message(function, ": the device array holds nothing: what should have ",
                               "written it has not run"));
  return operand_.buffer();
}

engine::pending_call memory_tensor::failed() const {
  return operand_.buffer().is_written() ? engine::pending_call() : failed_;
}

void memory_tensor::read_from(run_operand array) { operand_ = std::move(array); }

void memory_tensor::require_not_given() const {
  if (!operand_.is_buffer())
    throw invalid_argument(message("to_host: inside capture() a device array is copied back ",
                                   "once, and only if it is an operation's result"));
}

void memory_tensor::write_to(run_operand array) {
  require_not_given();
  operand_ = std::move(array);
  is_written_ = true;
}

const memory_tensor& memory_of(const device_tensor& tensor) {
  return dynamic_cast<const memory_tensor&>(tensor);
}
memory_tensor& memory_of(device_tensor& tensor) { return dynamic_cast<memory_tensor&>(tensor); }

}  // namespace papilio::operations_detail

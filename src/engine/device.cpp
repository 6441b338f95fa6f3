#include "papilio/engine/device.hpp"

#include "engine/device_operations.hpp"
#include "engine/device_state.hpp"
#include "engine/program.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine {

device::device(const machine_spec& machine, const runtime_spec& runtime,
               const device_options& options)
    : state_(std::make_unique<engine_detail::device_state>(machine, runtime, options)) {}
device::~device() = default;

std::string device::name() const { return state_->machine.name; }
const device_backend* device::operations() const { return &engine_detail::operations_of_devices(); }
const machine_spec& device::machine() const { return state_->machine; }
const runtime_spec& device::runtime() const { return state_->runtime; }
const device_options& device::options() const { return state_->options; }

device_buffer device::allocate(const tensor_shape& shape) {
  const std::int64_t bytes = shape.bytes();
  return device_buffer(std::make_shared<engine_detail::buffer_state>(engine_detail::buffer_state{
      .claim = state_->claim_when_free(
          [&] { return engine_detail::memory_claim(state_->memory, bytes, "device::allocate"); }),
      .shape = shape}));
}

std::int64_t device::free_bytes() const {
  return state_->memory->capacity_bytes - state_->memory->used_bytes;
}

device_buffer device::upload(const launch_input& array) {
  if (array.from() == launch_operand::source::buffer)
    throw invalid_argument("device::upload: array: must be of the host, is a buffer");
  if (array.from() == launch_operand::source::host && array.data() == nullptr)
    throw invalid_argument("device::upload: array: its data is null");
  device_buffer buffer = allocate(array.shape());
  write(buffer, array);
  return buffer;
}

void device::write(const device_buffer& to, const launch_input& array) {
  state_->write("device::write", to, array);
}

void device::download(const device_buffer& from, const launch_output& array) {
  state_->download("device::download", from, array);
}

pending_call device::write_async(const device_buffer& to, const launch_input& array) {
  constexpr const char* function = "device::write_async";
  state_->require_copy(function, "to", to, array);
  state_->require_asynchronous(function);
  return state_->begin_write(to, array, array);
}

pending_call device::download_async(const device_buffer& from, const launch_output& array) {
  constexpr const char* function = "device::download_async";
  state_->require_copy(function, "from", from, array);
  state_->require_asynchronous(function);
  return state_->begin_download(function, from, array, array);
}

pending_call device::launch_async(const kernel& program, const std::vector<launch_input>& inputs,
                                  const std::vector<launch_output>& outputs, run_mode mode) {
  engine_detail::program single(*state_, false);
  single.add("device::launch_async", program, inputs, outputs);
  return single.run_async("device::launch_async", mode);
}

launch_result device::launch(const kernel& program, const std::vector<launch_input>& inputs,
                             const std::vector<launch_output>& outputs, run_mode mode) {
  engine_detail::program single(*state_, false);
  single.add("device::launch", program, inputs, outputs);
  return single.run("device::launch", mode);
}

void device::wait_for_all() {
  state_->calls->wait_for_all();
  state_->wait();
  state_->calls->throw_undelivered();
}

void device::take_asynchronous(bool asynchronous) {
  if (asynchronous) state_->require_asynchronous("accelerator::set_asynchronous");
}

const device_record& device::record() const { return state_->record; }
void device::reset_record() { state_->reset_record(); }

}  // namespace papilio::engine

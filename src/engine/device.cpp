#include "papilio/engine/device.hpp"

#include "engine/device_operations.hpp"
#include "engine/device_state.hpp"
#include "engine/program.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine {

using operand_source = launch_operand::source;

namespace {

void require_equal(const char* function, const tensor_shape& buffer, const tensor_shape& array) {
  if (buffer != array)
    throw shape_error(base_detail::message(function, ": the buffer is ", buffer.describe(),
                                           ", the array ", array.describe()));
}

void require_data(const char* function, const launch_operand& array) {
  if (array.from() == operand_source::buffer)
    throw invalid_argument(
        base_detail::message(function, ": array: must be of the host, is a buffer"));
  if (array.from() == operand_source::host && array.data() == nullptr)
    throw invalid_argument(base_detail::message(function, ": array: its data is null"));
}

}  // namespace

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
      .claim = engine_detail::memory_claim(state_->memory, bytes, "device::allocate"),
      .shape = shape}));
}

std::int64_t device::free_bytes() const {
  return state_->memory->capacity_bytes - state_->memory->used_bytes;
}

device_buffer device::upload(const launch_input& array) {
  require_data("device::upload", array);
  device_buffer buffer = allocate(array.shape());
  write(buffer, array);
  return buffer;
}

void device::write(const device_buffer& to, const launch_input& array) {
  require_data("device::write", array);
  state_->require_own("device::write", "to", to);
  require_equal("device::write", to.shape(), array.shape());
  engine_detail::buffer_state& target = *to.state();
  if (array.from() == operand_source::host) {
    engine_detail::gather(array, target.storage(false));
    target.written = true;
  } else {
    target.written = false;
    target.planned = true;
  }
  const std::int64_t bytes = array.shape().bytes();
  state_->record.upload.add(
      {1, std::uint64_t(bytes), state_->runtime.upload_us(1, double(bytes)) * 1e-6});
}

void device::download(const device_buffer& from, const launch_output& array) {
  require_data("device::download", array);
  state_->require_own("device::download", "from", from);
  require_equal("device::download", from.shape(), array.shape());
  const bool with_data = array.from() == operand_source::host;
  state_->require_readable("device::download", "from", from,
                           with_data ? run_mode::execute : run_mode::dry_run);
  if (with_data) engine_detail::scatter(from.state()->storage(true), array);
  const std::int64_t bytes = array.shape().bytes();
  state_->wait();
  state_->record.fetch.add(
      {1, std::uint64_t(bytes), state_->runtime.fetch_us(1, double(bytes)) * 1e-6});
}

launch_result device::launch(const kernel& program, const std::vector<launch_input>& inputs,
                             const std::vector<launch_output>& outputs, run_mode mode) {
  engine_detail::program single(*state_, false);
  single.add("device::launch", program, inputs, outputs);
  return single.run("device::launch", mode);
}

void device::synchronize() { state_->wait(); }
const device_record& device::record() const { return state_->record; }
void device::reset_record() { state_->reset_record(); }

}  // namespace papilio::engine

#include "papilio/engine/device.hpp"

#include <exception>

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

// Copies an array into a buffer, and returns the copy.
copy_record write_now(engine_detail::device_state& on, const device_buffer& to,
                      const launch_input& array) {
  engine_detail::buffer_state& target = *to.state();
  if (array.from() == operand_source::host) {
    engine_detail::gather(array, target.storage(false));
    target.written = true;
  } else {
    target.written = false;
    target.planned = true;
  }
  const std::int64_t bytes = array.shape().bytes();
  return {1, std::uint64_t(bytes), on.runtime.upload_us(1, double(bytes)) * 1e-6};
}

// And the other way.
copy_record read_now(const char* function, engine_detail::device_state& on,
                     const device_buffer& from, const launch_output& array) {
  const bool with_data = array.from() == operand_source::host;
  on.require_readable(function, "from", from, with_data ? run_mode::execute : run_mode::dry_run);
  if (with_data) engine_detail::scatter(from.state()->storage(true), array);
  const std::int64_t bytes = array.shape().bytes();
  return {1, std::uint64_t(bytes), on.runtime.fetch_us(1, double(bytes)) * 1e-6};
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
      .claim = state_->claim_when_free(
          [&] { return engine_detail::memory_claim(state_->memory, bytes, "device::allocate"); }),
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
  state_->calls->wait_for_all();
  state_->record.upload.add(write_now(*state_, to, array));
}

void device::download(const device_buffer& from, const launch_output& array) {
  require_data("device::download", array);
  state_->require_own("device::download", "from", from);
  require_equal("device::download", from.shape(), array.shape());
  state_->calls->wait_for_all();
  const copy_record copy = read_now("device::download", *state_, from, array);
  state_->wait();
  state_->record.fetch.add(copy);
}

pending_call device::write_async(const device_buffer& to, const launch_input& array) {
  constexpr const char* function = "device::write_async";
  require_data(function, array);
  state_->require_own(function, "to", to);
  require_equal(function, to.shape(), array.shape());
  state_->require_asynchronous(function);
  const auto call = state_->begin_call();
  const copy_record copy = call->result.upload = write_now(*state_, to, array);
  state_->record.upload.add({copy.tensors, copy.bytes, 0});
  return state_->end_call(
      call, 0, {.seconds = copy.seconds, .uses = {{array, false}, {launch_input(to), true}}}, {},
      {});
}

pending_call device::download_async(const device_buffer& from, const launch_output& array) {
  constexpr const char* function = "device::download_async";
  require_data(function, array);
  state_->require_own(function, "from", from);
  require_equal(function, from.shape(), array.shape());
  state_->require_asynchronous(function);
  const auto call = state_->begin_call();
  try {
    call->result.fetch = read_now(function, *state_, from, array);
  } catch (const error&) {
    call->error = std::current_exception();
    return state_->end_call(call, 0, {}, {}, {});
  }
  const copy_record& copy = call->result.fetch;
  state_->record.fetch.add({copy.tensors, copy.bytes, 0});
  return state_->end_call(
      call, 0, {}, {},
      {.seconds = copy.seconds, .uses = {{launch_input(from), false}, {array, true}}});
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

void device::synchronize() {
  state_->calls->wait_for_all();
  state_->wait();
  if (const auto failed = state_->calls->undelivered()) {
    failed->is_delivered = true;
    std::rethrow_exception(failed->error);
  }
}
const device_record& device::record() const { return state_->record; }
void device::reset_record() { state_->reset_record(); }

}  // namespace papilio::engine

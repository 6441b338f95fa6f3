#include "engine/device_state.hpp"

#include <exception>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::engine_detail {

using engine::copy_record;
using engine::device_buffer;
using engine::launch_input;
using engine::launch_operand;
using engine::launch_output;
using engine::launch_result;
using engine::program_start;
using engine::program_state;
using engine::run_mode;

device_state::device_state(const engine::machine_spec& spec, const engine::runtime_spec& times,
                           const engine::device_options& how)
    : machine(spec),
      runtime(times),
      options(how),
      memory(std::make_shared<device_memory>()),
      programs(how.programs_max),
      calls(std::make_shared<call_queue>(times.inflight_max, record.asynchronous_seconds)) {
  engine::require_valid(machine);
  engine::require_valid(runtime);
  thread_count(options.threads);
  if (options.programs_max < 1)
    throw invalid_argument("device: programs_max must be at least 1, got 0");
  machine_key = engine::to_json(machine);
  memory->label = machine.name;
  memory->capacity_bytes = machine.hbm.usable_bytes_per_core;
}

void device_state::require_own(const std::string& function, const std::string& argument,
                               const device_buffer& buffer) const {
  if (buffer.empty())
    throw invalid_argument(
        base_detail::message(function, ": ", argument, ": the buffer was never allocated"));
  const device_memory& owner = *buffer.state()->claim.memory();
  if (&owner != memory.get())
    throw device_error(
        base_detail::message(function, ": ", argument, ": is a buffer of ",
                             owner.label == memory->label
                                 ? base_detail::message("another ", owner.label)
                                 : base_detail::message(owner.label, ", not of ", memory->label)));
}

void device_state::require_readable(const std::string& function, const std::string& argument,
                                    const device_buffer& buffer, engine::run_mode mode) const {
  const buffer_state& state = *buffer.state();
  if (state.readable(mode)) return;
  if (!options.strict && !state.planned) return;
  const char* why =
      state.planned ? " that only dry runs wrote: it holds no data" : " that nobody has written";
  throw device_error(base_detail::message(function, ": ", argument, ": reads a buffer ",
                                          state.shape.describe(), why));
}

void device_state::require_copy(const char* function, const char* argument,
                                const device_buffer& buffer, const launch_operand& array) const {
  if (array.from() == launch_operand::source::buffer)
    throw invalid_argument(
        base_detail::message(function, ": array: must be of the host, is a buffer"));
  if (array.from() == launch_operand::source::host && array.data() == nullptr)
    throw invalid_argument(base_detail::message(function, ": array: its data is null"));
  require_own(function, argument, buffer);
  if (buffer.shape() != array.shape())
    throw shape_error(base_detail::message(function, ": the buffer is ", buffer.shape().describe(),
                                           ", the array ", array.shape().describe()));
}

void device_state::start_program(const std::string& key, launch_result& result) {
  if (programs.holds(key)) {
    result.program = program_state::hit;
  } else if (options.start == program_start::warm) {
    result.program = program_state::assumed_warm;
  } else {
    const bool cold = options.start == program_start::cold;
    result.program = cold ? program_state::compiled : program_state::loaded;
    result.compile_seconds = runtime.load_seconds;
    if (cold) result.compile_seconds += runtime.compile_seconds_of(double(result.instructions));
    if (!called_) result.compile_seconds += runtime.first_call_us * 1e-6;
  }
  called_ = true;
  programs.use(key);
}

void device_state::run_for(bool waits, launch_result& result) {
  pending_seconds_ += result.device_seconds;
  if (waits) result.wait_seconds = std::exchange(pending_seconds_, 0);
  record.device_seconds += result.wait_seconds;
  record.pending_seconds = pending_seconds_;
}

void device_state::wait() {
  record.device_seconds += std::exchange(pending_seconds_, 0);
  record.pending_seconds = 0;
}

void device_state::reset_record() {
  record = {};
  record.pending_seconds = pending_seconds_;
}

void device_state::count(const launch_result& result) {
  count_asynchronous(result);
  record.upload.seconds += result.upload.seconds;
  record.fetch.seconds += result.fetch.seconds;
  record.launch_seconds += result.launch_seconds;
  record.compile_seconds += result.compile_seconds;
}

void device_state::count_asynchronous(const launch_result& result) {
  ++record.launches;
  record.compiles += result.program == program_state::compiled;
  record.loads +=
      result.program == program_state::compiled || result.program == program_state::loaded;
  record.hits += result.program == program_state::hit;
  record.upload.add({result.upload.tensors, result.upload.bytes, 0});
  record.fetch.add({result.fetch.tensors, result.fetch.bytes, 0});
  record.wall_seconds += result.wall_seconds;
}

void device_state::require_asynchronous(const std::string& function) const {
  if (!runtime.is_asynchronous())
    throw device_error(base_detail::message(
        function, ": the runtime ", runtime.name,
        " has no asynchronous calls: runtime_spec::inflight_max is 0 (sdk_2_32_trn2 has them)"));
}

std::shared_ptr<call_state> device_state::begin_call(std::size_t cores) {
  const core_range own{core, cores};
  calls->make_room(own);
  queue_pending();
  return std::make_shared<call_state>(
      call_state{.cores = own, .inflight_max = runtime.inflight_max, .queue = calls});
}

void device_state::queue_pending() {
  calls->add_pending(core, std::exchange(pending_seconds_, 0));
  record.pending_seconds = 0;
}

engine::pending_call device_state::end_call(const std::shared_ptr<call_state>& call) {
  calls->add(call);
  call->steps = {};  // its buffers may go
  return engine::pending_call(call);
}

namespace {

// Copies an array into a buffer, and returns the copy.
copy_record copy_up(const device_state& on, const device_buffer& to, const launch_input& array) {
  buffer_state& target = *to.state();
  if (array.from() == launch_operand::source::host) {
    gather(array, target.storage(false));
    target.written = true;
  } else {
    target.written = false;
    target.planned = true;
  }
  const std::int64_t bytes = array.shape().bytes();
  return {1, std::uint64_t(bytes), on.runtime.upload_us(1, double(bytes)) * 1e-6};
}

// And the other way.
copy_record copy_back(const char* function, const device_state& on, const device_buffer& from,
                      const launch_output& array) {
  const bool with_data = array.from() == launch_operand::source::host;
  on.require_readable(function, "from", from, with_data ? run_mode::execute : run_mode::dry_run);
  if (with_data) scatter(from.state()->storage(true), array);
  const std::int64_t bytes = array.shape().bytes();
  return {1, std::uint64_t(bytes), on.runtime.fetch_us(1, double(bytes)) * 1e-6};
}

call_step step_of(double seconds, const launch_operand& read, const launch_operand& written) {
  return {.seconds = seconds, .uses = {{read, false}, {written, true}}};
}

}  // namespace

copy_record device_state::write(const char* function, const device_buffer& to,
                                const launch_input& array) {
  require_copy(function, "to", to, array);
  if (!open) calls->wait_for_all();
  const copy_record copy = copy_up(*this, to, array);
  record.upload.add({copy.tensors, copy.bytes, open ? 0 : copy.seconds});
  if (open) open->steps.upload.add(step_of(copy.seconds, array, launch_input(to)));
  return copy;
}

copy_record device_state::download(const char* function, const device_buffer& from,
                                   const launch_output& array) {
  require_copy(function, "from", from, array);
  if (!open) calls->wait_for_all();
  const copy_record copy = copy_back(function, *this, from, array);
  if (!open) wait();
  record.fetch.add({copy.tensors, copy.bytes, open ? 0 : copy.seconds});
  if (open) open->steps.fetch.add(step_of(copy.seconds, launch_input(from), array));
  return copy;
}

engine::pending_call device_state::begin_write(const device_buffer& to, const launch_input& array,
                                               const launch_operand& touched) {
  const auto call = begin_call();
  const copy_record copy = call->result.upload = copy_up(*this, to, array);
  record.upload.add({copy.tensors, copy.bytes, 0});
  call->steps.upload = step_of(copy.seconds, touched, launch_input(to));
  return end_call(call);
}

engine::pending_call device_state::begin_download(const char* function, const device_buffer& from,
                                                  const launch_output& array,
                                                  const launch_operand& touched) {
  const auto call = begin_call();
  try {
    const copy_record copy = call->result.fetch = copy_back(function, *this, from, array);
    record.fetch.add({copy.tensors, copy.bytes, 0});
    call->steps.fetch = step_of(copy.seconds, launch_input(from), touched);
  } catch (const error&) {
    call->error = std::current_exception();
  }
  return end_call(call);
}

memory_claim device_state::claim_when_free(function_ref<memory_claim()> claim) {
  for (;;) {
    try {
      return claim();
    } catch (const device_error&) {
      if (!calls->wait_for_next()) throw;
    }
  }
}

}  // namespace papilio::engine_detail

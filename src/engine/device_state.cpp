#include "engine/device_state.hpp"

#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::engine_detail {

using engine::device_buffer;
using engine::launch_result;
using engine::program_start;
using engine::program_state;

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

std::shared_ptr<call_state> device_state::begin_call() {
  calls->make_room();
  calls->add_pending(std::exchange(pending_seconds_, 0));
  record.pending_seconds = 0;
  auto call = std::make_shared<call_state>();
  call->queue = calls;
  return call;
}

engine::pending_call device_state::end_call(const std::shared_ptr<call_state>& call,
                                            double submit_seconds, const call_step& upload,
                                            const call_step& run, const call_step& fetch) {
  calls->add(call, submit_seconds, upload, run, fetch);
  return engine::pending_call(call);
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

#include "papilio/engine/device_group.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

#include "engine/device_operations.hpp"
#include "engine/exchange_board.hpp"
#include "engine/group_members.hpp"
#include "engine/program.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::engine {
namespace {

int checked_cores(int cores) {
  constexpr int cores_max = link_model::cores_max;
  if (cores < 1 || cores > cores_max)
    throw invalid_argument(
        base_detail::message("device_group: cores must be in [1, ", cores_max, "], got ", cores));
  return cores;
}

}  // namespace

device_group::members::members(const machine_spec& spec, const runtime_spec& times, int cores,
                               const group_options& how)
    : machine(spec), runtime(times), options(how), links(machine, checked_cores(cores)) {
  thread_count(options.threads);
  for (int c = 0; c < cores; ++c) {
    devices.push_back(std::make_shared<device>(
        machine, runtime, device_options{.strict = how.strict, .start = how.start}));
    state(c).memory->label = base_detail::message(machine.name, " (core ", c, ")");
  }
  const auto queue = std::make_shared<engine_detail::call_queue>(
      runtime.inflight_max, state(0).record.asynchronous_seconds, devices.size());
  for (std::size_t c = 0; c < devices.size(); ++c) {
    state(int(c)).calls = queue;
    state(int(c)).core = c;
  }
}

device_group::members::members(const members& whole, int cores)
    : machine(whole.machine),
      runtime(whole.runtime),
      options(whole.options),
      links(machine, checked_cores(cores)),
      report(whole.report) {
  if (cores > whole.cores())
    throw invalid_argument(base_detail::message("device_group: cores must be in [1, ",
                                                whole.cores(), "] of the group, got ", cores));
  devices.assign(whole.devices.begin(), whole.devices.begin() + cores);
}

void device_group::members::require_buffers(const char* function, const char* list,
                                            std::span<const device_buffer> buffers) const {
  if (buffers.size() != devices.size())
    throw invalid_argument(base_detail::message(function, ": ", list, ": must be ", cores(),
                                                " buffers, one for each core, got ",
                                                buffers.size()));
  for (int c = 0; c < cores(); ++c) {
    const device_buffer& b = buffers[std::size_t(c)];
    const std::string argument = base_detail::message(list, "[", c, "]");
    state(c).require_own(function, argument, b);
    if (b.shape() != buffers[0].shape())
      throw shape_error(base_detail::message(function, ": ", argument, ": must be ",
                                             buffers[0].shape().describe(), " as ", list,
                                             "[0], is ", b.shape().describe()));
  }
}

void device_group::members::require_readable(const char* function, const char* list,
                                             std::span<const device_buffer> buffers,
                                             run_mode mode) const {
  for (int c = 0; c < cores(); ++c)
    state(c).require_readable(function, base_detail::message(list, "[", c, "]"),
                              buffers[std::size_t(c)], mode);
  touch(buffers, false);
}

void device_group::members::touch(std::span<const device_buffer> buffers, bool writes) const {
  if (!open()) return;
  for (const device_buffer& b : buffers)
    open()->steps.run.uses.push_back({launch_input(b), writes});
}

std::vector<std::byte*> device_group::members::bytes_of(std::span<const device_buffer> buffers) {
  std::vector<std::byte*> bytes;
  for (const device_buffer& b : buffers) bytes.push_back(b.state()->storage(!b.is_written()));
  return bytes;
}

void device_group::members::mark_written(std::span<const device_buffer> buffers,
                                         run_mode mode) const {
  for (const device_buffer& b : buffers)
    (mode == run_mode::execute ? b.state()->written : b.state()->planned) = true;
  touch(buffers, true);
}

void device_group::members::run_apart(function_ref<void(std::size_t)> run_core) const {
  std::vector<std::exception_ptr> faults(devices.size());
  parallel_for(devices.size(), options.threads, [&](std::size_t c) {
    try {
      run_core(c);
    } catch (...) {
      faults[c] = std::current_exception();
    }
  });
  for (const std::exception_ptr& fault : faults)
    if (fault) std::rethrow_exception(fault);
}

// Each core has a thread, so that a core that waits for a message does not keep its sender from
// running.
void device_group::members::run_connected(function_ref<void(std::size_t)> run_core) const {
  engine_detail::exchange_board board(cores(), thread_count(options.threads));
  std::vector<std::exception_ptr> faults(devices.size());
  const auto run_one = [&](int c) {
    board.begin();
    try {
      run_core(std::size_t(c));
    } catch (...) {
      faults[std::size_t(c)] = std::current_exception();
    }
    board.end(c);
  };
  std::vector<std::thread> threads;
  threads.reserve(devices.size());
  for (int c = 0; c < cores(); ++c) {
    state(c).exchange = [&board, c](int to, int from, auto sent, auto received) {
      board.exchange(c, to, from, sent, received);
    };
    try {
      threads.emplace_back(run_one, c);
    } catch (const std::system_error&) {
      faults[std::size_t(c)] = std::make_exception_ptr(resource_error(base_detail::message(
          "device_group::run: no thread of the host for core ", c, " of ", cores())));
      board.end(c, false);
    }
  }
  for (std::thread& t : threads) t.join();
  for (int c = 0; c < cores(); ++c) state(c).exchange = nullptr;
  for (const bool starved : {false, true})
    for (int c = 0; c < cores(); ++c)
      if (faults[std::size_t(c)] && board.starved(c) == starved)
        std::rethrow_exception(faults[std::size_t(c)]);
}

const group_phase& device_group::members::communicate(const char* name, double link_ns,
                                                      std::uint64_t link_bytes) {
  if (!open()) calls().wait_for_all();
  return add_phase({.name = name,
                    .kind = phase_kind::communication,
                    .link_seconds = link_ns * 1e-9,
                    .link_bytes = link_bytes});
}

const group_phase& device_group::members::add_phase(group_phase phase) {
  if (!open()) return report->phases.emplace_back(std::move(phase));
  engine_detail::call_step& run = open()->steps.run;
  run.seconds += phase.device_seconds + phase.link_seconds;
  run.is_taken = run.is_taken || phase.device_seconds + phase.link_seconds > 0;
  return open()->phases.emplace_back(std::move(phase));
}

device_group::device_group(const machine_spec& machine, const runtime_spec& runtime, int cores,
                           const group_options& options)
    : members_(std::make_unique<members>(machine, runtime, cores, options)) {}
device_group::device_group(device_group& whole, int cores)
    : members_(std::make_unique<members>(*whole.members_, cores)) {}
device_group::~device_group() = default;

std::string device_group::name() const {
  return base_detail::message(machine().name, ", ", cores(), cores() == 1 ? " core" : " cores");
}
const device_backend* device_group::operations() const {
  return &engine_detail::operations_of_devices();
}
int device_group::cores() const { return members_->cores(); }
const machine_spec& device_group::machine() const { return members_->machine; }
const runtime_spec& device_group::runtime() const { return members_->runtime; }
const link_model& device_group::links() const { return members_->links; }
const group_report& device_group::report() const { return *members_->report; }
void device_group::reset_report() { *members_->report = {}; }

device& device_group::members::core(int index) const {
  if (index < 0 || index >= cores())
    throw invalid_argument(base_detail::message("device_group::core: index must be in [0, ",
                                                cores(), "), got ", index));
  return *devices[std::size_t(index)];
}
device& device_group::core(int index) { return members_->core(index); }
const device& device_group::core(int index) const { return members_->core(index); }

const group_phase& device_group::write(std::span<const device_buffer> to,
                                       std::span<const launch_input> arrays) {
  const auto count = std::size_t(cores());
  if (to.size() != count || arrays.size() != count)
    throw invalid_argument(base_detail::message("device_group::write: must be ", count,
                                                " buffers and arrays, one for each core, got ",
                                                to.size(), " and ", arrays.size()));
  group_phase phase{.name = "upload", .kind = phase_kind::compute};
  for (std::size_t c = 0; c < count; ++c) {
    phase.upload.add(members_->state(int(c)).write("device::write", to[c], arrays[c]));
  }
  return members_->add_phase(std::move(phase));
}

const group_phase& device_group::download(int from, const device_buffer& source,
                                          const launch_output& to) {
  return members_->add_phase(
      {.name = "fetch",
       .kind = phase_kind::compute,
       .fetch = core(from).state().download("device::download", source, to)});
}

std::vector<device_buffer> device_group::allocate(const tensor_shape& shape) {
  std::vector<device_buffer> buffers;
  for (const auto& d : members_->devices) buffers.push_back(d->allocate(shape));
  return buffers;
}

std::vector<device_buffer> device_group::upload(const launch_input& array) {
  std::vector<device_buffer> buffers;
  for (const auto& d : members_->devices) buffers.push_back(d->upload(array));
  return buffers;
}

std::vector<launch_result> device_group::run(const kernel& program,
                                             const std::vector<std::vector<launch_input>>& inputs,
                                             const std::vector<std::vector<launch_output>>& outputs,
                                             run_mode mode) {
  return members_->run([&](std::size_t) -> const kernel& { return program; }, inputs, outputs,
                       mode);
}

std::vector<launch_result> device_group::run(std::span<const kernel> programs,
                                             const std::vector<std::vector<launch_input>>& inputs,
                                             const std::vector<std::vector<launch_output>>& outputs,
                                             run_mode mode) {
  if (programs.size() != std::size_t(cores()))
    throw invalid_argument(base_detail::message("device_group::run: programs: must be ", cores(),
                                                ", one for each core, got ", programs.size()));
  return members_->run([&](std::size_t c) -> const kernel& { return programs[c]; }, inputs, outputs,
                       mode);
}

std::vector<launch_result> device_group::members::run(
    function_ref<const kernel&(std::size_t)> program_of,
    const std::vector<std::vector<launch_input>>& inputs,
    const std::vector<std::vector<launch_output>>& outputs, run_mode mode) {
  const auto count = std::size_t(cores());
  const auto require_all = [&](const char* list, std::size_t size) {
    if (size != count)
      throw invalid_argument(base_detail::message("device_group::run: ", list, ": must be ", count,
                                                  " lists, one for each core, got ", size));
  };
  require_all("inputs", inputs.size());
  require_all("outputs", outputs.size());
  for (int c = 1; c < int(count); ++c)
    if (state(c).open != open())
      throw invalid_argument("device_group::run: inside a call of a part of the group");
  if (!open()) calls().wait_for_all();
  std::vector<engine_detail::program> programs;
  std::vector<engine_detail::memory_claim> claims(count);
  for (std::size_t c = 0; c < count; ++c) {
    engine_detail::program& own = programs.emplace_back(state(int(c)), false);
    own.add("device::launch", program_of(c), inputs[c], outputs[c]);
    const std::string who = own.who("device::launch");
    own.require_runnable(who, mode);
    claims[c] = state(int(c)).claim_when_free([&] { return own.claim_arrays(who); });
  }
  std::vector<launch_result> results(count);
  const auto run_core = [&](std::size_t c) { results[c] = programs[c].compute(mode); };
  if (mode == run_mode::execute && count > 1)
    run_connected(run_core);
  else
    run_apart(run_core);
  for (std::size_t c = 0; c < count; ++c)
    count_run(c, programs[c], std::move(claims[c]), results[c]);

  group_phase phase{.name = program_of(0).name, .launch_seconds = results[0].launch_seconds};
  for (const launch_result& r : results) {
    phase.compile_seconds = std::max(phase.compile_seconds, r.compile_seconds);
    phase.device_seconds = std::max(phase.device_seconds, r.device_seconds);
    phase.upload.add(r.upload);
    phase.fetch.add(r.fetch);
  }
  // The host fetches all cores' outputs in one call and waits once, not once for each core.
  phase.fetch.seconds = runtime.fetch_us(phase.fetch.tensors, double(phase.fetch.bytes)) * 1e-6;
  if (open()) {
    engine_detail::call_steps& steps = open()->steps;
    steps.submit_seconds += phase.launch_seconds;
    steps.compile_seconds += phase.compile_seconds;
    steps.upload.seconds += phase.upload.seconds;
    steps.fetch.seconds += phase.fetch.seconds;
  }
  add_phase(std::move(phase));
  return results;
}

// The cores' seconds are those of the phase, which lasts as long as the slowest.
void device_group::members::count_run(std::size_t core, const engine_detail::program& what,
                                      engine_detail::memory_claim claim, launch_result& result) {
  engine_detail::device_state& own = state(int(core));
  if (!open()) {
    own.run_for(result.fetch.tensors > 0, result);
    return own.count(result);
  }
  result.launch_seconds = runtime.submit_us * 1e-6;
  if (result.fetch.tensors > 0) result.wait_seconds = result.device_seconds;
  own.count_asynchronous(result);
  engine_detail::call_steps touched;
  what.add_steps(result, touched);
  engine_detail::call_steps& steps = open()->steps;
  for (auto step : {&engine_detail::call_steps::upload, &engine_detail::call_steps::run,
                    &engine_detail::call_steps::fetch}) {
    (touched.*step).seconds = 0;
    (steps.*step).add(std::move(touched.*step));
  }
  open()->claims.push_back(std::move(claim));
}

pending_group_call device_group::call_async(function_ref<void()> work) {
  constexpr const char* function = "device_group::call_async";
  members& own = *members_;
  own.state(0).require_asynchronous(function);
  if (own.open())
    throw invalid_argument(base_detail::message(function, ": inside another call of the group"));
  const auto call = own.state(0).begin_call(std::size_t(cores()));
  for (int c = 1; c < cores(); ++c) own.state(c).queue_pending();
  const auto open_all = [&](const std::shared_ptr<engine_detail::call_state>& open) {
    for (int c = 0; c < cores(); ++c) own.state(c).open = open;
  };
  open_all(call);
  try {
    work();
  } catch (...) {
    call->error = std::current_exception();
    call->steps.upload = call->steps.run = call->steps.fetch = {.is_taken = false};
    call->phases.clear();
  }
  open_all(nullptr);
  own.calls().add(call);
  call->pace_seconds = engine_detail::call_queue::pace(call->steps, call->inflight_max);
  call->steps = {};  // its buffers may go
  return pending_group_call(call);
}

void device_group::wait_for_all() {
  members_->calls().wait_for_all();
  for (int c = 0; c < cores(); ++c) members_->state(c).wait();
  members_->calls().throw_undelivered();
}

void device_group::take_asynchronous(bool asynchronous) {
  if (asynchronous) members_->state(0).require_asynchronous("accelerator::set_asynchronous");
}

}  // namespace papilio::engine

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "engine/core_state.hpp"
#include "engine/program.hpp"
#include "engine/storage.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine_detail {

using engine::hbm_view;
using engine::launch_operand;
using engine::launch_result;
using engine::run_mode;
using source = launch_operand::source;

struct program::memory {
  std::vector<array<std::byte, 1>> staged;  // parallel to tensors_; empty where not needed
};

void program::require_runnable(const std::string& function, run_mode mode) const {
  for (const tensor& t : tensors_) {
    if (t.operand.from() == source::buffer) {
      if (t.read_first) device_->require_readable(function, t.name, t.operand.buffer(), mode);
    } else if (mode == run_mode::execute && t.operand.data() == nullptr) {
      throw invalid_argument(function + ": " + t.name +
                             (t.operand.from() == source::shape
                                  ? ": is a shape without data, which only a dry run takes"
                                  : ": its data is null"));
    }
  }
}

// Host arrays whose bytes are as the device would hold them are read in place. Outputs are written
// to separate memory, since an output array may alias an input and must stay as it is if a kernel
// fails.
void program::prepare(core_state& core, run_mode mode, memory& host,
                      std::vector<hbm_view>& views) const {
  const bool strict = device_->options.strict;
  host.staged.resize(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const tensor& t = tensors_[i];
    std::byte* data = nullptr;
    if (mode == run_mode::execute) {
      const bool in_place = !t.written && t.operand.is_contiguous() &&
                            t.operand.host_type() == t.operand.shape().type;
      if (t.operand.from() == source::buffer) {
        data = t.operand.buffer().state()->storage(!strict);
      } else if (in_place) {
        data = t.operand.data();
      } else {
        host.staged[i] = array<std::byte, 1>({std::size_t(t.bytes)}, uninitialized);
        data = host.staged[i].data();
        if (!t.written)
          gather(t.operand, data);
        else if (!strict)
          engine::fill_poison(t.operand.shape().type, data,
                              std::size_t(t.operand.shape().elements()));
      }
    }
    const engine::tensor_shape& shape = t.operand.shape();
    views.push_back(core.add_tensor(shape.extents, shape.type, t.name, data, !t.written, false));
    if (t.written && t.read_first) views.back().storage()->written.reset(shape.elements(), true);
  }
}

namespace {

// Places the tiles of a kernel behind those of the one before it, if they fit, so that it need not
// wait until that kernel's tiles are free. How much room a kernel takes is known if the program has
// run the same kernel on the same shapes before.
class places_of_kernels {
 public:
  explicit places_of_kernels(core_state& core) : core_(core) {}

  /// `key` contains everything that the kernel's instructions depend on.
  void begin(std::string key) {
    key_ = std::move(key);
    place(core_.sbuf, 0);
    place(core_.psum, 1);
  }
  void end() { reach_[key_] = {core_.sbuf.reach_bytes(), core_.psum.reach_bytes()}; }

 private:
  void place(tile_memory& memory, std::size_t which) {
    if (!memory.is_empty()) return;
    const auto known = reach_.find(key_);
    const bool fits = known != reach_.end() &&
                      memory.end_bytes() + memory.alignment_bytes() + known->second[which] <=
                          memory.capacity_bytes();
    memory.begin_at(fits ? memory.end_bytes() : 0);
  }

  core_state& core_;
  std::string key_;
  std::map<std::string, std::array<std::int64_t, 2>> reach_;  // bytes of SBUF and of PSUM
};

}  // namespace

void program::run_nodes(engine::core& core, std::vector<hbm_view>& views) const {
  core_state& state = core.state();
  places_of_kernels places(state);
  for (const node& n : nodes_) {
    state.begin_kernel(n.body.name);
    std::string key = base_detail::message(n.body.name, "; ", n.body.parameters);
    for (const std::vector<std::size_t>* const operands : {&n.in, &n.out})
      for (const std::size_t t : *operands)
        key = base_detail::message(key, "; ", tensors_[t].operand.shape().describe());
    places.begin(std::move(key));
    const auto pick = [&](const std::vector<std::size_t>& indices) {
      std::vector<hbm_view> picked;
      for (const std::size_t t : indices) picked.push_back(views[t]);
      return picked;
    };
    const engine::kernel_arguments arguments(pick(n.in), pick(n.out));
    for (const std::size_t t : n.out) {
      hbm_storage& storage = *views[t].storage();
      storage.checked = true;
      const bool also_read = std::ranges::find(n.in, t) != n.in.end();
      // A kernel that does not read its output must write all of it. One that reads it may update a
      // part, so that elements written by an earlier kernel still count as written.
      if (!also_read) storage.written.reset(storage.elements, !device_->options.strict);
    }
    n.body.body(core, arguments);
    places.end();
    state.end_kernel();
  }
}

void program::publish(run_mode mode, const memory& host) const {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const tensor& t = tensors_[i];
    if (!t.written) continue;
    if (t.operand.from() == source::buffer) {
      buffer_state& state = *t.operand.buffer().state();
      (mode == run_mode::execute ? state.written : state.planned) = true;
    } else if (mode == run_mode::execute) {
      scatter(host.staged[i].data(), t.operand);
    }
  }
}

launch_result program::compute(run_mode mode) {
  const auto begin = std::chrono::steady_clock::now();
  const engine::device_options& options = device_->options;
  engine::core core(
      device_->machine,
      {.mode = mode, .strict = options.strict, .trace = options.trace, .threads = options.threads});
  // Arrays of other calls under way are not there when this one runs, as far as its values go.
  core.state().reserve_hbm(device_->memory->used_bytes -
                           device_->calls->claimed_bytes(*device_->memory));
  if (device_->exchange) core.connect(device_->exchange);
  memory host;
  std::vector<hbm_view> views;
  prepare(core.state(), mode, host, views);
  if (mode == run_mode::execute)
    for (const tensor& t : tensors_)
      if (t.written && t.operand.from() == source::buffer)
        t.operand.buffer().state()->written = t.operand.buffer().state()->planned = false;
  run_nodes(core, views);
  publish(mode, host);

  launch_result result{.kernel = title()};
  result.summary = core.summary();
  result.summary.kernel = result.kernel;
  if (options.trace) {
    result.events = core.timeline_trace();
    result.events.describe(result.kernel, device_->machine.name);
  }
  result.instructions = core.state().record.instructions;
  result.launch_seconds = device_->runtime.launch_us * 1e-6;
  result.upload = copies(false);
  result.fetch = copies(true);
  result.device_seconds = core.state().record.end_ns * 1e-9;
  device_->start_program(key_, result);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  result.wall_seconds = wall.count();
  return result;
}

launch_result program::run(const std::string& function, run_mode mode) {
  device_->calls->wait_for_all();
  require_runnable(who(function), mode);
  const memory_claim claim = claim_arrays(who(function));
  launch_result result = compute(mode);
  device_->run_for(result.fetch.tensors > 0, result);
  device_->count(result);
  return result;
}

memory_claim program::claim_arrays(const std::string& who) const {
  const std::int64_t bytes = checked_add(array_bytes(false), array_bytes(true), "arrays: bytes");
  return {device_->memory, bytes, who.c_str()};
}

call_step program::copy_step(bool to_host, double seconds) const {
  call_step step{.seconds = seconds};
  for (const tensor& t : tensors_)
    if (t.operand.from() != source::buffer && t.written == to_host)
      step.uses.push_back({t.operand, to_host});
  step.is_taken = !step.uses.empty();
  return step;
}

void program::add_steps(const launch_result& result, call_steps& to) const {
  call_step run{.seconds = result.device_seconds};
  for (const tensor& t : tensors_)
    if (t.operand.from() == source::buffer) run.uses.push_back({t.operand, t.written});
  to.upload.add(copy_step(false, result.upload.seconds));
  to.run.add(std::move(run));
  to.fetch.add(copy_step(true, result.fetch.seconds));
}

engine::pending_call program::run_async(const std::string& function, run_mode mode) {
  device_->require_asynchronous(who(function));
  const std::shared_ptr<call_state> call = device_->begin_call();
  call->steps.submit_seconds = device_->runtime.submit_us * 1e-6;
  launch_result& result = call->result;
  try {
    require_runnable(who(function), mode);
    call->claims.push_back(device_->claim_when_free([&] { return claim_arrays(who(function)); }));
    result = compute(mode);
  } catch (...) {
    call->error = std::current_exception();
    return device_->end_call(call);
  }
  result.launch_seconds = call->steps.submit_seconds;
  if (result.fetch.tensors > 0) result.wait_seconds = result.device_seconds;
  device_->count_asynchronous(result);
  call->steps.compile_seconds = result.compile_seconds;
  add_steps(result, call->steps);
  return device_->end_call(call);
}

}  // namespace papilio::engine_detail

// Captured runs: operations on device arrays are listed, then submitted as one graph of the engine.
#include "kernels/operations/device_runs.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "dispatch/program_store.hpp"
#include "engine/device_state.hpp"
#include "kernels/operations/asynchronous_runs.hpp"
#include "kernels/operations/group_runs.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {

using base_detail::message;

void run_list::add(std::shared_ptr<const launched_program> program,
                   std::span<const device_input> in, std::span<const device_output> out) {
  captured_run run{std::move(program), {}, {}};
  for (const device_input& i : in) run.in.push_back(i.tensor);
  for (const device_output& o : out) run.out.push_back(o.tensor);
  runs_.push_back(std::move(run));
}

void run_list::require_result(const device_tensor& tensor) const {
  for (const captured_run& run : runs_)
    for (const shared_tensor& out : run.out)
      if (out.get() == &tensor) return;
  throw invalid_argument(
      "to_host: inside capture() it takes results of the operations that are captured");
}

namespace {

void require_apart(const char* function, const std::vector<run_operand>& written,
                   const run_operand& array) {
  for (const run_operand& other : written)
    if (share_memory(other, array))
      throw invalid_argument(message(function,
                                     ": inside capture() arrays of to_host must share no ",
                                     "memory with each other, or with arrays read after them"));
}

}  // namespace

void run_list::read_array(const char* function, const device_tensor& tensor,
                          const run_operand& array) {
  require_apart(function, written_, array);
  read_.push_back(array);
  of_arrays_.push_back(&tensor);
}

void run_list::write_array(const char* function, const device_tensor& tensor,
                           const run_operand& array) {
  require_apart(function, written_, array);
  written_.push_back(array);
  of_arrays_.push_back(&tensor);
}

bool run_list::reads(const run_operand& array) const {
  return std::ranges::any_of(read_,
                             [&](const run_operand& other) { return share_memory(array, other); });
}

bool run_list::has_array_of(const device_tensor& tensor) const {
  return std::ranges::find(of_arrays_, &tensor) != of_arrays_.end();
}

void run_list::load_arrays() const {
  for (const run_operand& array : read_) array.load();
}

void run_list::store_arrays() const {
  for (const run_operand& array : written_) array.store();
}

void run_list::require_inputs() const {
  std::set<const device_tensor*> made;
  for (const captured_run& run : runs_) {
    for (const shared_tensor& in : run.in)
      if (!made.contains(in.get()))
        if (engine::pending_call failed = memory_of(*in).failed(); !failed.empty()) failed.wait();
    for (const shared_tensor& out : run.out) made.insert(out.get());
  }
}

void run_list::name_arrays(engine_detail::call_steps& steps) const {
  const auto is_of_host = [](const engine_detail::operand_use& use) {
    return use.operand.from() == engine::launch_operand::source::host;
  };
  std::erase_if(steps.upload.uses, is_of_host);
  std::erase_if(steps.fetch.uses, is_of_host);
  for (const run_operand& array : read_) steps.upload.uses.push_back({touched(array), false});
  for (const run_operand& array : written_) steps.fetch.uses.push_back({touched(array), true});
}

bool run_list::is_divided() const {
  if (runs_.size() != 1 || !runs_[0].program->is_divided()) return false;
  return std::ranges::all_of(runs_[0].in,
                             [](const auto& t) { return memory_of(*t).is_read_array(); }) &&
         std::ranges::all_of(runs_[0].out,
                             [](const auto& t) { return memory_of(*t).is_written_array(); });
}

run_record run_list::run_divided(const char* function) const {
  std::vector<run_operand> in, out;
  for (const shared_tensor& t : runs_[0].in) in.push_back(memory_of(*t).operand());
  for (const shared_tensor& t : runs_[0].out) out.push_back(memory_of(*t).operand());
  return runs_[0].program->run_operands(function, std::move(in), std::move(out));
}

std::string run_list::recipe(const accelerator& on) const {
  if (runs_.size() > 1)
    return recipe_on_core(on, "what is captured together is not divided",
                          message(runs_.size(), " operations in one dispatch"));
  const launched_program& only = *runs_[0].program;
  return only.is_divided() ? only.recipe_of_device_arrays() : only.recipe();
}

engine::graph run_list::to_graph(engine::device& on) const {
  if (runs_.empty()) throw invalid_argument("capture: no operation was captured");
  engine::graph graph(on);
  for (const captured_run& run : runs_) {
    std::vector<engine::launch_input> inputs;
    for (const shared_tensor& in : run.in) inputs.push_back(memory_of(*in).operand().input());
    const kernel_program& kernel = run.program->on_one_core();
    inputs.insert(inputs.end(), kernel.tables().begin(), kernel.tables().end());
    std::vector<engine::launch_output> outputs;
    for (const shared_tensor& out : run.out) outputs.push_back(memory_of(*out).operand().output());
    graph.launch(kernel.program(), inputs, outputs);
  }
  return graph;
}

namespace {

class engine_graph final : public captured_runs {
 public:
  engine_graph(accelerator& on, run_list runs) : on_(&on), runs_(std::move(runs)) {
    if (!runs_.is_divided()) graph_.emplace(runs_.to_graph(device_of(on)));
  }

  std::size_t runs() const override { return runs_.size(); }
  run_record submit(const char* function) override {
    const std::lock_guard lock(on_->programs().mutex());
    if (!graph_) return runs_.run_divided(function);
    runs_.require_inputs();
    runs_.load_arrays();
    run_record r = record_of(submitted(function), on_->name());
    runs_.store_arrays();
    r.recipe = runs_.recipe(*on_);
    return r;
  }

  // Results are there at once: the call says when they are in modelled time.
  std::shared_ptr<run_under_way> submit_async(const char* function) override {
    const std::lock_guard lock(on_->programs().mutex());
    engine::device& core = device_of(*on_);
    core.state().require_asynchronous(function);
    const host_clock clock(core);
    run_record r;
    const auto begun = [&](auto call, const std::string& recipe) {
      r.backend = "device";
      r.machine = on_->name();
      r.recipe = recipe;
      r.asynchronous = true;
      r.asynchronous_seconds = clock.moved();
      return std::make_shared<engine_call<decltype(call)>>(core, call, std::move(r));
    };
    if (!graph_) {
      run_record done;
      engine::pending_group_call call = group_of(*on_)->call_async([&] {
        done = runs_.run_divided(function);
        runs_.name_arrays(core.state().open->steps);
      });
      r = record_of(call.state()->phases);
      r.wall_seconds = done.wall_seconds;
      return begun(call, done.recipe);
    }
    runs_.require_inputs();
    runs_.load_arrays();
    engine::pending_call call = graph_->submit_async();
    r = record_of(call.state()->result, on_->name());
    if (call.state()->error) {
      name_error(function, *call.state());
      r.launches = 0;
    } else {
      runs_.store_arrays();
    }
    return begun(call, runs_.recipe(*on_));
  }

 private:
  engine::launch_result submitted(const char* function) {
    try {
      return graph_->submit().run;
    } catch (const device_error& e) {
      throw device_error(message(function, ": ", e.what()));
    }
  }

  accelerator* on_;
  run_list runs_;  // keeps the graph's programs and tensors alive
  std::optional<engine::graph> graph_;
};

}  // namespace

run_list* captured_on(accelerator& on) {
  return static_cast<run_list*>(on.programs().capturing.get());
}

void begin_capture(accelerator& on) {
  if (captured_on(on) != nullptr)
    throw invalid_argument("capture: operations on this accelerator are being captured already");
  on.programs().capturing = std::make_shared<run_list>();
}

std::unique_ptr<captured_runs> end_capture(accelerator& on) {
  const std::shared_ptr<void> held = std::exchange(on.programs().capturing, nullptr);
  return std::make_unique<engine_graph>(on, std::move(*static_cast<run_list*>(held.get())));
}

void abandon_capture(accelerator& on) { on.programs().capturing = nullptr; }

}  // namespace papilio::operations_detail

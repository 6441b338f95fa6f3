#include "papilio/dispatch/device_program.hpp"

#include <mutex>
#include <utility>

#include "dispatch/program_store.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

device_graph::device_graph(std::unique_ptr<captured_runs> runs, const accelerator& on)
    : runs_(std::move(runs)), on_(&on), life_(on.life()) {}

std::size_t device_graph::operations() const { return runs_ == nullptr ? 0 : runs_->runs(); }

captured_runs& device_graph::runs_for(const char* function) const {
  using base_detail::message;
  if (runs_ == nullptr)
    throw invalid_argument(message(function, ": the graph has no operations: it was moved from"));
  if (life_.expired())
    throw device_error(message(function, ": the accelerator of the graph is gone"));
  return *runs_;
}

namespace {

std::string name_of(const captured_runs& runs) {
  return base_detail::message("graph of ", runs.runs(), " operations");
}

}  // namespace

run_record device_graph::submit() {
  constexpr const char* function = "device_graph::submit";
  captured_runs& runs = runs_for(function);
  run_record record = runs.submit(function);
  record.operation = name_of(runs);
  dispatch_detail::record_run(record);
  return record;
}

pending_run device_graph::submit_async() {
  constexpr const char* function = "device_graph::submit_async";
  captured_runs& runs = runs_for(function);
  return pending_run(runs.submit_async(function), *on_, name_of(runs));
}

pending_run::pending_run(std::shared_ptr<run_under_way> run, const accelerator& on,
                         std::string operation)
    : run_(std::move(run)), on_(&on), life_(on.life()), operation_(std::move(operation)) {}

const accelerator& pending_run::there(const char* function) const {
  if (empty()) throw invalid_argument(base_detail::message(function, ": no run was begun"));
  if (life_.expired())
    throw device_error(base_detail::message(function, ": the accelerator of the run is gone"));
  return *on_;
}

bool pending_run::is_done() const {
  const std::lock_guard lock(there("pending_run::is_done").programs().mutex());
  return run_->is_done();
}

run_record pending_run::wait() {
  const std::lock_guard lock(there("pending_run::wait").programs().mutex());
  run_record record = run_->wait();
  record.operation = operation_;
  dispatch_detail::record_run(record);
  return record;
}

void dispatch_detail::require_no_capture(const char* function, accelerator& on) {
  const std::lock_guard lock(on.programs().mutex());
  if (on.programs().capturing != nullptr)
    throw invalid_argument(base_detail::message(
        function,
        ": inside capture() operands must be device arrays: those of the host may not last"));
}

namespace {

std::unique_ptr<captured_runs> captured(accelerator& on, function_ref<void()> body) {
  const std::lock_guard lock(on.programs().mutex());
  const device_backend& backend = backend_of("capture", on);
  backend.begin_capture(on);
  try {
    body();
  } catch (...) {
    backend.abandon_capture(on);
    throw;
  }
  return backend.end_capture(on);
}

}  // namespace

void dispatch_detail::run_captured(const char* function, accelerator& on, std::string name,
                                   function_ref<void()> body) {
  const std::lock_guard lock(on.programs().mutex());
  require_no_capture(function, on);
  run_record record = captured(on, body)->submit(function);
  record.operation = std::move(name);
  record_run(std::move(record));
}

device_graph capture(accelerator& on, function_ref<void()> body) {
  return device_graph(captured(on, body), on);
}

}  // namespace papilio

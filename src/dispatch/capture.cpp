#include "papilio/dispatch/device_program.hpp"

#include <mutex>
#include <utility>

#include "dispatch/program_store.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

device_graph::device_graph(std::unique_ptr<captured_runs> runs, const accelerator& on)
    : runs_(std::move(runs)), life_(on.life()) {}

std::size_t device_graph::operations() const { return runs_ == nullptr ? 0 : runs_->runs(); }

run_record device_graph::submit() {
  if (runs_ == nullptr)
    throw invalid_argument("device_graph::submit: the graph has no operations: it was moved from");
  if (life_.expired())
    throw device_error("device_graph::submit: the accelerator of the graph is gone");
  run_record record = runs_->submit("device_graph::submit");
  record.operation = base_detail::message("graph of ", operations(), " operations");
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

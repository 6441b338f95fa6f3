#pragma once

#include <memory>
#include <span>
#include <utility>

#include "kernels/operations/device_runs.hpp"

// Runs and copies that are begun, and return before they are done.
namespace papilio::operations_detail {

/// Whether a run only begins: on an accelerator that is asynchronous, and on device arrays alone.
bool only_begins(const accelerator& on, std::span<const device_input> in,
                 std::span<const device_output> out);

/// Copies an array of the host into a device array, without waiting.
run_record begin_upload(device_tensor& to, const run_operand& array);
/// Copies a device array to the host, without waiting.
std::shared_ptr<run_under_way> begin_download(device_tensor& from, const untyped_view<void>& to);

/// The memory of the host that counts as read or written by a copy of an array.
engine::launch_input touched(const run_operand& array);

/// Puts the function's name before the error of a call that has failed.
void name_error(const char* function, engine_detail::call_state& call);

/// The host's clock of asynchronous calls, and how far it has moved since.
class host_clock {
 public:
  explicit host_clock(const engine::device& on) : on_(&on), before_(now()) {}
  double moved() const { return now() - before_; }

 private:
  double now() const { return on_->record().asynchronous_seconds; }

  const engine::device* on_;
  double before_;
};

/// A call of the engine, for a device or a group, that was begun, with its record.
template <class Call>
class engine_call final : public run_under_way {
 public:
  engine_call(const engine::device& on, Call call, run_record record)
      : on_(&on), call_(std::move(call)), record_(std::move(record)) {}

  bool is_done() const override { return call_.is_done(); }
  run_record wait() override {
    const host_clock clock(*on_);
    call_.wait();
    record_.asynchronous_seconds += clock.moved();
    return record_;
  }

 private:
  const engine::device* on_;
  Call call_;
  run_record record_;
};

}  // namespace papilio::operations_detail

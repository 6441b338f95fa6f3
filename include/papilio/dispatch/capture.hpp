#pragma once

#include <memory>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/base/function_ref.hpp"
#include "papilio/dispatch/device_program.hpp"

namespace papilio {

/// Operations that were captured, ready to be submitted as one dispatch: all arrays that they read
/// go up in one copy, all results of to_host come back in one. A graph that was moved from has
/// none.
class PAPILIO_API device_graph {
 public:
  /// What was captured; the accelerator must outlive it.
  explicit device_graph(std::unique_ptr<captured_runs> runs, const accelerator& on);

  std::size_t operations() const;
  /// Reads the arrays of to_device, computes, writes those of to_host. May be called again, with
  /// other values in the same arrays. Also last_run(). device_error if the accelerator is gone, or
  /// where an array is read that another graph has yet to write; invalid_argument without
  /// operations.
  run_record submit();

 private:
  std::unique_ptr<captured_runs> runs_;
  std::weak_ptr<const void> life_;
};

/// Calls `body`; operations on residents of `on` that it makes are not run but kept, and to_device
/// and to_host move nothing yet. Operations with operands of the host refuse to run on `on` in
/// there (invalid_argument): only arrays named by to_device and to_host are known to last. Results
/// that stay on the device hold nothing before the first submission. Where `body` throws, nothing
/// is kept. All arrays are read before one is written, so that an array of to_host may be one that
/// to_device has read. invalid_argument where nothing was captured, inside another capture, and
/// where an array of to_host shares memory with another one, or with one that to_device reads after
/// it; an array of more than five axes that do not join by their strides has all of it from its
/// first element to its last.
/// Other threads wait for the accelerator while `body` runs: it may not wait for them.
///
///   device_graph g = capture(dev, [&] {
///     to_host(irfft(rfft(to_device(dev, x))), y.view());
///   });
///   g.submit();
PAPILIO_API device_graph capture(accelerator& on, function_ref<void()> body);

namespace dispatch_detail {

/// invalid_argument, in the name of `function`, inside capture(): of operations with operands of
/// the host.
PAPILIO_API void require_no_capture(const char* function, accelerator& on);

/// Captures `body` and submits it at once: one dispatch, for last_run() under `name`. Arrays
/// that it names must last until then. Errors in the name of `function`; inside capture() as
/// require_no_capture.
PAPILIO_API void run_captured(const char* function, accelerator& on, std::string name,
                              function_ref<void()> body);

}  // namespace dispatch_detail

}  // namespace papilio

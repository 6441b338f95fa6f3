#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dispatch/program_store.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch.hpp"

// The argument `on` of functions, and arrays that lie on an accelerator.
namespace papilio::python {

/// An accelerator as Python has it, by the names of its machine and runtime, with the record of its
/// last run. Safe to use from many threads, as operations on an accelerator are.
class python_device {
 public:
  python_device(std::string machine, std::string runtime, int cores,
                std::unique_ptr<accelerator> on)
      : machine_(std::move(machine)),
        runtime_(std::move(runtime)),
        cores_(cores),
        on_(std::move(on)) {}

  const std::string& machine() const { return machine_; }
  const std::string& runtime() const { return runtime_; }
  int cores() const { return cores_; }
  accelerator& on() const { return *on_; }

  run_record last_run() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  /// Takes the record of a run, or adds it to that of the same call.
  void take(run_record record, bool is_same_call) {
    const std::lock_guard lock(mutex_);
    if (is_same_call)
      last_.add(record);
    else
      last_ = std::move(record);
  }

  /// Objects that this thread's capture reads and writes when its graph is submitted; else null.
  /// With the GIL.
  std::vector<nb::object>* kept() const {
    return std::this_thread::get_id() == capturing_ ? kept_ : nullptr;
  }
  void keep_in(std::vector<nb::object>* objects) {
    kept_ = objects;
    capturing_ = std::this_thread::get_id();
  }

 private:
  std::string machine_, runtime_;
  int cores_;
  std::unique_ptr<accelerator> on_;
  mutable std::mutex mutex_;
  run_record last_;
  std::vector<nb::object>* kept_ = nullptr;
  std::thread::id capturing_;
};

/// An array in the memory of an accelerator, as Python has it.
class python_device_array {
 public:
  python_device_array(nb::object device, shared_tensor tensor)
      : device_(std::move(device)), tensor_(std::move(tensor)) {}
  python_device_array(python_device_array&&) = default;
  // Other threads may run on the accelerator, whose memory this frees; a capture of one of them holds
  // it while it waits for the GIL.
  ~python_device_array() {
    if (tensor_ == nullptr) return;
    accelerator& on = nb::inst_ptr<python_device>(device_)->on();
    const nb::gil_scoped_release released;
    const std::lock_guard lock(on.programs().mutex());
    tensor_.reset();
  }

  const nb::object& device() const { return device_; }
  const shared_tensor& tensor() const { return tensor_; }
  const operand_shape& shape() const { return tensor_->shape(); }

 private:
  nb::object device_;
  shared_tensor tensor_;
};

/// The device array that x is; null: it is none.
inline const python_device_array* device_array_of(nb::handle x) {
  if (is_numpy_array(x.ptr()) || !nb::isinstance<python_device_array>(x)) return nullptr;
  return nb::inst_ptr<python_device_array>(x);
}

/// Place of a call: the accelerator of the argument `on`, or so many threads of the host.
class call_place {
 public:
  /// Raises TypeError, in the name of `function`, unless `on` is None or a Device.
  call_place(const char* function, const std::optional<int>& workers, nb::handle on)
      : function_(function) {
    on_.threads = workers_of(workers);
    if (on.is_none()) return;
    if (!nb::isinstance<python_device>(on))
      throw nb::type_error(base_detail::message(function,
                                                ": on must be a papilio.device.Device, got ",
                                                nb::inst_name(on).c_str())
                               .c_str());
    take(nb::borrow(on));
  }

  /// The device arrays of a call that has them for operands: all of them, on one accelerator; empty
  /// where all operands are the host's. Operands that are None count for neither. Raises TypeError
  /// for operands of both.
  template <class Operands>
  std::vector<shared_tensor> tensors(const Operands& operands) {
    const auto lies_there = [](nb::handle x) { return device_array_of(x) != nullptr; };
    if (std::ranges::none_of(operands, lies_there)) return {};
    std::vector<shared_tensor> all;
    for (const nb::handle x : operands) {
      if (x.is_none()) continue;
      const auto* const there = device_array_of(x);
      if (there == nullptr)
        throw nb::type_error(base_detail::message(function_,
                                                  ": operands must be device arrays all, or none: "
                                                  "Device.array copies one to the accelerator")
                                 .c_str());
      if (device_ == nullptr) take(there->device());
      all.push_back(there->tensor());
    }
    return all;
  }
  std::vector<shared_tensor> tensors(std::initializer_list<nb::handle> operands) {
    return tensors<std::initializer_list<nb::handle>>(operands);
  }

  const execution& on() const { return on_; }
  const char* function() const { return function_; }

  /// Calls `work`, whose runs the accelerator has for its last one. The GIL is not needed.
  template <class Work>
  void record(const Work& work) {
    if (device_ == nullptr) return work();
    run_record ran = recorded([&] { work(); });
    if (ran.backend.empty()) return;
    device_->take(std::move(ran), std::exchange(has_run_, true));
  }
  /// As before, without the GIL.
  template <class Work>
  void run(const Work& work) {
    const without_gil released;
    record(work);
  }

  /// A device array of this accelerator as a result.
  nb::object result(shared_tensor tensor) const {
    return nb::cast(python_device_array(device_object_, std::move(tensor)));
  }

 private:
  void take(nb::object device) {
    device_object_ = std::move(device);
    device_ = nb::inst_ptr<python_device>(device_object_);
    on_.where = policy::device;
    on_.on = &device_->on();
  }

  const char* function_;
  execution on_;
  nb::object device_object_;
  python_device* device_ = nullptr;
  bool has_run_ = false;
};

}  // namespace papilio::python

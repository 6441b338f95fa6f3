#pragma once

#include <memory>
#include <string>

#include "papilio/base/export.hpp"

namespace papilio {

namespace dispatch_detail {
class program_store;
}

struct device_backend;

/// Machine other than the host on which an operation may run; `execution::on` names one.
/// engine::device is one, and engine::device_group, several cores: emulated machines, slower than
/// the host, that model a real one's time.
class PAPILIO_API accelerator {
 public:
  virtual ~accelerator();
  accelerator(const accelerator&) = delete;
  accelerator& operator=(const accelerator&) = delete;

  /// Name in reports and messages.
  virtual std::string name() const = 0;
  /// Functions by which operations run on it; null: it runs none.
  virtual const device_backend* operations() const { return nullptr; }

  /// Waits for everything that was begun on it: its device time and nothing more. Throws the first
  /// error of asynchronous calls that no wait has thrown.
  void synchronize();
  /// Sets whether to_device and operations on device arrays only begin, and return before they are
  /// done. Values are those of calls that wait; in modelled time copies and runs of several
  /// overlap, each after those whose results it reads (docs/cost_model.md). to_host waits for its
  /// device array; operations on arrays of the host and device_graph::submit wait for everything.
  /// An error of the emulated run is thrown where its results are read or waited for, all others
  /// at once. Setting false waits as synchronize, and throws so.
  /// Throws device_error if the accelerator, or its runtime, has no asynchronous calls.
  ///
  ///   dev.set_asynchronous(true);
  ///   for (const auto& x : blocks) y.push_back(fft(to_device(dev, x)));  // copies while it runs
  ///   dev.synchronize();
  void set_asynchronous(bool asynchronous);
  bool is_asynchronous() const;

  /// Expires with the accelerator; device arrays check it.
  std::weak_ptr<const void> life() const { return life_; }
  /// Cache of programs with their tables on the device, and of decisions about them.
  dispatch_detail::program_store& programs() const { return *programs_; }

 protected:
  accelerator();

 private:
  virtual void wait_for_all() {}
  /// Prepares for what set_asynchronous sets. Throws device_error where there are no such calls.
  virtual void take_asynchronous(bool asynchronous);

  std::shared_ptr<const void> life_;
  std::unique_ptr<dispatch_detail::program_store> programs_;
};

}  // namespace papilio

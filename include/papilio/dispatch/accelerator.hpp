#pragma once

#include <memory>
#include <string>

#include "papilio/base/export.hpp"

namespace papilio {

namespace dispatch_detail {
class program_store;
}

struct device_backend;

/// A machine other than the host on which an operation may run; `execution::on` names one.
/// engine::device is one: an emulated machine, slower than the host, that says how long the real
/// one would take.
class PAPILIO_API accelerator {
 public:
  virtual ~accelerator();
  accelerator(const accelerator&) = delete;
  accelerator& operator=(const accelerator&) = delete;

  /// As reports and messages name it.
  virtual std::string name() const = 0;
  /// The functions by which operations run on it; null: it runs none.
  virtual const device_backend* operations() const { return nullptr; }

  /// Expires with the accelerator; what lies on it asks this first.
  std::weak_ptr<const void> life() const { return life_; }
  /// Programs of operations with their tables on the device, and what was decided about them. They
  /// go with the accelerator.
  dispatch_detail::program_store& programs() const { return *programs_; }

 protected:
  accelerator();

 private:
  std::shared_ptr<const void> life_;
  std::unique_ptr<dispatch_detail::program_store> programs_;
};

}  // namespace papilio

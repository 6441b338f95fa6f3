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

  /// Expires with the accelerator; device arrays check it.
  std::weak_ptr<const void> life() const { return life_; }
  /// Cache of programs with their tables on the device, and of decisions about them.
  dispatch_detail::program_store& programs() const { return *programs_; }

 protected:
  accelerator();

 private:
  std::shared_ptr<const void> life_;
  std::unique_ptr<dispatch_detail::program_store> programs_;
};

}  // namespace papilio

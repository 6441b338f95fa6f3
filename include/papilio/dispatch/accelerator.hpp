#pragma once

#include <string>

#include "papilio/base/export.hpp"

namespace papilio {

/// A machine other than the host on which an operation may run; `execution::on` names one.
/// The library holds no implementation.
class PAPILIO_API accelerator {
 public:
  virtual ~accelerator();
  accelerator(const accelerator&) = delete;
  accelerator& operator=(const accelerator&) = delete;

  /// As reports and messages name it.
  virtual std::string name() const = 0;

 protected:
  accelerator() = default;
};

}  // namespace papilio

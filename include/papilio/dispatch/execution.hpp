#pragma once

#include <string>

namespace papilio {

class accelerator;

/// Which side of the machine an operation runs on.
///   host       the CPU
///   device     the accelerator that `execution::on` names; device_error where there is none, or
///              none of the backends runs there
///   automatic  whichever is estimated to be faster; the host where no accelerator is named
enum class policy { host, device, automatic };

/// Where and how an operation runs.
struct execution {
  policy where = policy::host;
  /// Looked at by `device` and `automatic` alone; must outlive the call.
  accelerator* on = nullptr;
  /// At most so many threads; 0: one for each core. No result depends on it.
  int threads = 0;
  /// Empty: the policy decides. A backend's name (backend_names() lists them) asks for that one: it
  /// is an invalid_argument, which names those there are, if it is not in this build or cannot do
  /// the problem.
  std::string backend = {};
};

}  // namespace papilio

#pragma once

#include <string>

#include "papilio/base/export.hpp"
#include "papilio/base/vocabulary.hpp"

namespace papilio {

class accelerator;

/// Where an operation runs.
///   host       the CPU
///   device     the accelerator that `execution::on` names, and nothing else: device_error where
///              there is none or it cannot do the operation
///   automatic  whichever is estimated to be faster; the host where no accelerator is named
/// An accelerator is emulated: its results are the true numbers, its times are modelled, and the
/// computation itself takes longer than the host's own code would. `automatic` answers what one
/// would choose if one had the machine.
enum class policy { host, device, automatic };

PAPILIO_API const char* to_string(policy p);
/// invalid_argument that names `what` and the three words.
PAPILIO_API policy policy_of(const std::string& word, const std::string& what);

/// Where and how an operation runs.
struct execution {
  policy where = policy::host;
  /// Looked at by `device` and `automatic` alone; must outlive the call.
  accelerator* on = nullptr;
  /// Of the host, at most so many; 0: one for each core. No result depends on it.
  int threads = 0;
  /// Empty: the policy decides. A backend's name (backend_names() lists them) asks for that one: it
  /// is an invalid_argument, which names those there are, if it is not in this build or cannot do
  /// the problem.
  std::string backend = {};
  /// How an accelerator computes. The host computes in the operands' type: a mode other than native
  /// is refused there (invalid_argument), a target error too where the host's is expected to be
  /// larger.
  precision_options precision = {};
};

}  // namespace papilio

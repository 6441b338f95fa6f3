#pragma once

#include <string>

#include "papilio/base/export.hpp"
#include "papilio/base/vocabulary.hpp"

namespace papilio {

class accelerator;

/// Side on which an operation runs.
///   host       the CPU
///   device     the accelerator that `execution::on` names, and nothing else: device_error if there
///              is none or it cannot do the operation
///   automatic  whichever is estimated to be faster; the host if no accelerator is named
/// An accelerator is emulated: its results are the true numbers, its times are modelled, and the
/// computation takes longer than the host's own. `automatic` chooses as if it were real.
enum class policy { host, device, automatic };

/// Returns "host", "device" or "automatic".
PAPILIO_API const char* to_string(policy p);
/// Returns the policy of a word. Throws invalid_argument, naming `what` and the words, for others.
PAPILIO_API policy policy_of(const std::string& word, const std::string& what);

/// Options that say where and how an operation runs.
struct execution {
  policy where = policy::host;
  /// Accelerator for `device` and `automatic`, an engine::device or an engine::device_group; must
  /// outlive the call.
  accelerator* on = nullptr;
  /// Most threads on the host; 0: one for each core. No result depends on it.
  int threads = 0;
  /// Backend by name (backend_names() lists them); empty: the policy decides. A name that is not in
  /// this build or cannot do the problem is an invalid_argument.
  std::string backend = {};
  /// Precision of an accelerator. The host computes in the operands' type: a mode other than native
  /// is an invalid_argument there, and so is a target error below the one expected of the host.
  precision_options precision = {};
};

namespace dispatch_detail {

/// Whether `on` asks for nothing but the host and its threads, so that there is nothing to place.
inline bool is_plain_host(const execution& on) {
  return on.where == policy::host && on.threads >= 0 && on.backend.empty() &&
         on.precision == precision_options{};
}

}  // namespace dispatch_detail

}  // namespace papilio

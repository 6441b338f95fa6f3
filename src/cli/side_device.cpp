#include "cli/side_flags.hpp"
#include "papilio/engine/environment.hpp"

namespace papilio::cli {

side::side(const side_flags& flags) try {
  on_ = execution_from_environment();
  if (!flags.machine.empty() || !flags.runtime.empty() || flags.cores) {
    device_ = make_accelerator(given_or_environment(flags.machine, "PAPILIO_MACHINE"),
                               given_or_environment(flags.runtime, "PAPILIO_RUNTIME"),
                               flags.cores ? *flags.cores : cores_from_environment());
    on_.on = device_.get();
  }
  if (!flags.policy.empty())
    on_.where = policy_of(flags.policy, "--policy");
  else if (device_ != nullptr && given_or_environment("", "PAPILIO_POLICY").empty())
    on_.where = policy::device;
  on_.threads = flags.threads;
} catch (const invalid_argument& e) {
  throw usage_error(e.what());
}

}  // namespace papilio::cli

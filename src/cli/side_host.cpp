#include "cli/side_flags.hpp"

namespace papilio::cli {
namespace {

struct wish {
  const std::string& given;
  const char *flag, *variable;

  std::string value() const { return given_or_environment(given, variable); }
  std::string source() const { return given.empty() ? variable : flag; }
};

[[noreturn]] void refuse(const wish& of) {
  throw usage_error(of.source() + " " + of.value() + ": " +
                    not_in_this_build("an accelerator", {"PAPILIO_DEVICE"}));
}

}  // namespace

// A program without papilio::device refuses every flag and variable that asks for an accelerator.
side::side(const side_flags& flags) try {
  const std::string cores = flags.cores ? std::to_string(*flags.cores) : "";
  for (const wish& named : {wish{flags.machine, "--machine", "PAPILIO_MACHINE"},
                            wish{flags.runtime, "--runtime", "PAPILIO_RUNTIME"},
                            wish{cores, "--cores", "PAPILIO_CORES"}})
    if (!named.value().empty()) refuse(named);
  const wish policy{flags.policy, "--policy", "PAPILIO_POLICY"};
  if (!policy.value().empty() && policy_of(policy.value(), policy.source()) != policy::host)
    refuse(policy);
  on_.threads = flags.threads;
} catch (const invalid_argument& e) {
  throw usage_error(e.what());
}

}  // namespace papilio::cli

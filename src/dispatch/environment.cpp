// What the environment says of where operations run.
#include <cstdlib>
#include <memory>

#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::unique_ptr<accelerator> made_from_environment() {
  const std::string machine = variable("PAPILIO_MACHINE"), runtime = variable("PAPILIO_RUNTIME");
  if (machine.empty() && runtime.empty()) return nullptr;
  return make_accelerator(machine, runtime);
}

}  // namespace

const char* to_string(policy p) {
  switch (p) {
    case policy::host:
      return "host";
    case policy::device:
      return "device";
    case policy::automatic:
      return "automatic";
  }
  return "";
}

policy policy_of(const std::string& word, const std::string& what) {
  for (const policy p : {policy::host, policy::device, policy::automatic})
    if (word == to_string(p)) return p;
  throw invalid_argument(
      base_detail::message(what, " must be host, device or automatic, got \"", word, "\""));
}

policy environment_policy() {
  static const policy p = [] {
    const std::string word = variable("PAPILIO_POLICY");
    return word.empty() ? policy::host : policy_of(word, "PAPILIO_POLICY");
  }();
  return p;
}

accelerator* environment_accelerator() {
  static const std::unique_ptr<accelerator> device = made_from_environment();
  return device.get();
}

}  // namespace papilio

#include "papilio/engine/environment.hpp"

#include <cstdlib>

namespace papilio {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::unique_ptr<engine::device> made_from_environment() {
  const std::string machine = variable("PAPILIO_MACHINE"), runtime = variable("PAPILIO_RUNTIME");
  if (machine.empty() && runtime.empty()) return nullptr;
  return make_device(machine, runtime);
}

}  // namespace

std::unique_ptr<engine::device> make_device(const std::string& machine,
                                            const std::string& runtime) {
  return std::make_unique<engine::device>(
      machine.empty() ? engine::trainium1() : engine::load_machine(machine),
      runtime.empty() ? engine::sdk_2_24() : engine::load_runtime(runtime));
}

execution execution_from_environment() {
  static const policy where = [] {
    const std::string word = variable("PAPILIO_POLICY");
    return word.empty() ? policy::host : policy_of(word, "PAPILIO_POLICY");
  }();
  static const std::unique_ptr<engine::device> device = made_from_environment();
  return {.where = where, .on = device.get()};
}

}  // namespace papilio

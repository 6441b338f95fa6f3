#include "papilio/engine/environment.hpp"

#include <charconv>
#include <cstdlib>

#include "papilio/base/error.hpp"
#include "papilio/engine/device_group.hpp"

namespace papilio {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::unique_ptr<accelerator> made_from_environment() {
  const std::string machine = variable("PAPILIO_MACHINE"), runtime = variable("PAPILIO_RUNTIME");
  if (machine.empty() && runtime.empty() && variable("PAPILIO_CORES").empty()) return nullptr;
  return make_accelerator(machine, runtime, cores_from_environment());
}

engine::machine_spec machine_of(const std::string& name) {
  return name.empty() ? engine::trainium1() : engine::load_machine(name);
}
engine::runtime_spec runtime_of(const std::string& name) {
  return name.empty() ? engine::sdk_2_24() : engine::load_runtime(name);
}

}  // namespace

std::unique_ptr<engine::device> make_device(const std::string& machine,
                                            const std::string& runtime) {
  return std::make_unique<engine::device>(machine_of(machine), runtime_of(runtime));
}

std::unique_ptr<accelerator> make_accelerator(const std::string& machine,
                                              const std::string& runtime, int cores) {
  if (cores == 1) return make_device(machine, runtime);
  return std::make_unique<engine::device_group>(machine_of(machine), runtime_of(runtime), cores);
}

int cores_from_environment() {
  constexpr int most = engine::link_model::cores_max;
  const std::string text = variable("PAPILIO_CORES");
  if (text.empty()) return 1;
  int cores = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), cores);
  if (fault != std::errc() || end != text.data() + text.size() || cores < 1 || cores > most)
    throw invalid_argument(base_detail::message("PAPILIO_CORES must be a whole number of 1 to ",
                                                most, ", got \"", text, "\""));
  return cores;
}

execution execution_from_environment() {
  static const policy where = [] {
    const std::string word = variable("PAPILIO_POLICY");
    return word.empty() ? policy::host : policy_of(word, "PAPILIO_POLICY");
  }();
  static const std::unique_ptr<accelerator> device = made_from_environment();
  return {.where = where, .on = device.get()};
}

}  // namespace papilio

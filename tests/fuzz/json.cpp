// JSON of every kind that has no target of its own: machines, runtimes, rates of the host and
// descriptions of spectra. Each reader gets the same text.
#include "cli/istft.hpp"
#include "fuzz/input.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"

using namespace papilio;

namespace {

void read_machine(std::string_view text) {
  const engine::machine_spec machine = engine::machine_from_json(text, "input");
  test::require(engine::machine_from_json(engine::to_json(machine), "output") == machine,
                "a machine is written as it was read");
}

void read_runtime(std::string_view text) {
  const engine::runtime_spec runtime = engine::runtime_from_json(text, "input");
  test::require(engine::runtime_from_json(engine::to_json(runtime), "output") == runtime,
                "a runtime is written as it was read");
}

void read_host(std::string_view text) { load_host(test::write_input("host.json", text)); }

void read_spectra_description(std::string_view text) {
  std::string npy = test::write_input("spectra.npy.json", text);
  npy.resize(npy.size() - std::string_view(".json").size());
  cli::read_description(npy, {5, 9}, "<c8");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto read : {read_machine, read_runtime, read_host, read_spectra_description}) {
    try {
      read(test::text_of(data, size));
    } catch (const io_error&) {
    }
  }
  return 0;
}

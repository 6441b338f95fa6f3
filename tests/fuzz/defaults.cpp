// The file of defaults, papilio.toml.
#include "cli/common.hpp"
#include "cli/defaults_file.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio;
  try {
    const std::string file = test::write_input("papilio.toml", test::text_of(data, size));
    for (const cli::file_default& each : cli::read_defaults(file))
      test::require(!each.verb.empty() && !each.name.empty() && !each.values.empty(),
                    "an option has a verb, a name and a value");
  } catch (const cli::usage_error&) {
  }
  return 0;
}

// Runs that papilio profile --json printed, for --against.
#include "cli/profile_run.hpp"
#include "fuzz/input.hpp"
#include "papilio/base.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio;
  try {
    const cli::json_value run =
        cli::profile_verb::saved_run(test::write_input("run.json", test::text_of(data, size)));
    for (const bool all : {false, true}) {
      const cli::report made = cli::profile_verb::difference_report(run, run, all);
      test::require(made.json()["differences"].begin() == made.json()["differences"].end(),
                    "a run does not differ from itself");
      test::require(cli::printable_lines(made.text()) == made.text(),
                    "a report holds nothing that a terminal acts on");
    }
  } catch (const io_error&) {
  }
  return 0;
}

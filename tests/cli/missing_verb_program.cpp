// A program of which two components are off; missing_verb_test.cpp starts it. The verb that it has
// is linked with the side of a build without papilio::device.
#include <exception>
#include <string>

#include "cli/common.hpp"
#include "cli/side_flags.hpp"

int main(int argc, char** argv) {
  using namespace papilio::cli;
  program app({.name = "papilio", .help = "papilio", .version = "1", .footer = ""});
  side_flags flags;
  command& verb = app.add_command("einsum", "Says how many threads it was given");
  flags.add_to(verb);
  verb.run([&flags] {
    print(std::to_string(side(flags).on().threads));
    return exit_done;
  });
  add_missing_verb(app, "mp2", {"PAPILIO_TENSOR", "PAPILIO_DEVICE"});
  try {
    return app.run(argc, argv);
  } catch (const std::exception& e) {
    complain(e.what());
    return exit_bad_data;
  }
}

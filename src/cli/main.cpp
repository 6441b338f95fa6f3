#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "cli/common.hpp"
#include "papilio/base/error.hpp"
#include "papilio/version.hpp"

namespace {

int run(int argc, char** argv) {
  using namespace papilio::cli;
  int code = exit_done;
  CLI::App app("papilio: FFT and spectral analysis of sound");
  app.set_version_flag("--version", std::string("papilio ") + PAPILIO_VERSION);
  app.require_subcommand(1);
  app.footer("papilio VERB --help tells more. Exit: 0 done, 1 bad data, 2 bad usage.");
  add_info(app, code);
  add_spectrogram(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? exit_done : exit_bad_usage;
  } catch (const usage_error& e) {
    fmt::print(stderr, "papilio: {}\n", e.what());
    return exit_bad_usage;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef SIGXFSZ
  // A file size limit is then a failed write, with a message, not a killed process.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "papilio: {}\n", e.what());
    return papilio::cli::exit_bad_data;
  }
}

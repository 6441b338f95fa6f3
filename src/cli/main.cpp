#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

#include "cli/common.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/transform/candidate.hpp"

namespace {

using namespace papilio::cli;

// CLI11 would only say that a verb is missing.
void require_known_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) throw usage_error("a verb is missing");
  if (argv[1][0] == '-') return;
  std::string known;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == argv[1]) return;
    known += (known.empty() ? "" : ", ") + verb->get_name();
  }
  throw usage_error(fmt::format("there is no verb \"{}\"; there are {}", argv[1], known));
}

int run(int argc, char** argv) {
  int code = exit_done;
  CLI::App app("papilio: FFT and spectral analysis of sound", "papilio");
  app.set_version_flag("--version", papilio::build_info());
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.footer("papilio VERB --help tells more. Exit: 0 done, 1 bad data, 2 bad usage.");
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return fmt::format("papilio: {}\nRun with --help for more information.\n",
                       printable_lines(e.what()));
  });
  add_info(app, code);
  add_spectrogram(app, code);
  add_fft(app, code);
  add_stft(app, code);
  add_istft(app, code);
  add_features(app, code);
  add_batch(app, code);
  add_psd(app, code);
  add_denoise(app, code);
  add_einsum(app, code);
  add_decompose(app, code);
  add_mp2(app, code);
  add_plan(app, code);
  add_profile(app, code);
  add_published(app, code);
  add_path(app, code);
  try {
    require_known_verb(app, argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (app.exit(e) != 0) return exit_bad_usage;
    if (!std::cout.flush()) throw papilio::io_error("standard output", "cannot be written");
    return exit_done;
  } catch (const usage_error& e) {
    complain_of_usage(e.what());
    return exit_bad_usage;
  }
  return code;
}

/// A file that is opened must not become standard input, output or error where the caller closed
/// those: they are opened so that using them fails, as it should, and a message is lost.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0)
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Exceptions that no handler of ours gets: of the objects that libraries make before main, and in
/// functions of theirs that are noexcept; of some of these GCC ends the program without telling what
/// was thrown.
[[noreturn]] void end_unhandled() {
  try {
    if (const std::exception_ptr exception = std::current_exception())
      std::rethrow_exception(exception);
    if (std::uncaught_exceptions() > 0) {
      std::fputs("papilio: ended by a library, as a rule for want of memory\n", stderr);
      std::_Exit(exit_bad_data);
    }
  } catch (const std::bad_alloc&) {
    std::fputs("papilio: out of memory\n", stderr);
    std::_Exit(exit_bad_data);
  } catch (...) {
    // A mistake in the program, which ends as such.
  }
  std::abort();
}

// Before all that is constructed before main.
[[gnu::constructor(101)]] void handle_unhandled() { std::set_terminate(end_unhandled); }

}  // namespace

int main(int argc, char** argv) {
#ifdef SIGXFSZ
  // A file size limit is then a failed write, with a message, not a killed process.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  hold_standard_descriptors();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& e) {
    complain(e.what());
  }
  return exit_bad_data;
}

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>

#include "cli/common.hpp"
#include "papilio/transform/candidate.hpp"

namespace {

using namespace papilio::cli;

/// For those who expect the program to open a file.
std::string verbs_of(const std::string& file) {
  if (std::filesystem::is_directory(file))
    return fmt::format(
        "papilio report {0} makes a page of it, papilio batch {0} works on its files", file);
  return fmt::format("papilio spectrogram {0} draws it, papilio info {0} describes it", file);
}

/// Where people keep the options that they always want.
std::string defaults_file() {
  const char* const folder = std::getenv("XDG_CONFIG_HOME");
  if (folder != nullptr && *folder != '\0') return std::string(folder) + "/papilio.toml";
  const char* const home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "") + "/.config/papilio.toml";
}

int run(int argc, char** argv) {
  program app(
      {.name = "papilio",
       .help =
           "papilio: spectrograms, spectra and features of sound files, and the FFTs behind them",
       .version = papilio::build_info() + "\ncomponents: " + built_components,
       .footer = "papilio help VERB tells more. Exit: 0 done, 1 bad data, 2 bad usage.",
       .defaults = defaults_file(),
       .file_hint = verbs_of});
  add_verbs(app);
  return app.run(argc, argv);
}

/// A file that is opened must not become standard input, output or error where the caller closed
/// those: they are opened so that using them fails, as it should, and a message is lost.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0)
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Exceptions that no handler of ours gets: of the objects that libraries make before main, and in
/// functions of theirs that are noexcept; of some of these GCC ends the program without telling
/// what was thrown.
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

/// Where address space is limited, threads share one heap: one of its own would take 64 MiB of it,
/// and then Pango aborts, which cannot start its threads.
void share_heap() {
#ifdef M_ARENA_MAX
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    ::mallopt(M_ARENA_MAX, 1);
#endif
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
  share_heap();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& e) {
    complain(e.what());
  }
  return exit_bad_data;
}

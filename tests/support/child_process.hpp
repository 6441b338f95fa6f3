#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace papilio::test {

/// A terminal of so many characters that answers what a program asks it.
struct terminal_options {
  unsigned short columns = 80, rows = 24, pixel_width = 0, pixel_height = 0;
  std::string answer = {};  ///< to a query of its attributes
};

struct child_options {
  bool as_nobody = false;           ///< drop root first, where the caller is root
  std::size_t file_size_limit = 0;  ///< bytes that a file may grow to, as on a full disk; 0: any
  std::size_t address_space_limit = 0;    ///< bytes of memory and files that may be mapped; 0: any
  std::string directory = {};             ///< to run in; empty: the caller's
  std::optional<std::string> input = {};  ///< comes through a pipe; none: /dev/null
  std::string input_file = {};            ///< is opened as standard input; empty: see input
  bool errors_on_terminal = false;        ///< standard error is a pseudo-terminal
  /// Standard output is a pseudo-terminal, the one that controls the child.
  std::optional<terminal_options> terminal = {};
  bool input_stays_open = false;     ///< the pipe does not end after `input`
  std::string interrupt_after = {};  ///< SIGINT is sent when this was printed; empty: never
  int timeout_seconds = 300;         ///< then it is killed, and timed_out is set
};

struct child_result {
  int exit_code = -1;  ///< -1 where it was killed
  int signal = 0;
  bool timed_out = false;
  std::string output, errors;
  long peak_kilobytes = 0;  ///< 0 under a sanitizer, whose memory is not the program's
};

/// Runs a program to its end and collects what it prints.
child_result run_child(const std::vector<std::string>& command, const child_options& options = {});

}  // namespace papilio::test

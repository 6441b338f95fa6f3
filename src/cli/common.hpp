#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "papilio/audio.hpp"

namespace papilio::cli {

/// What the shell sees.
enum exit_code : int { exit_done = 0, exit_bad_data = 1, exit_bad_usage = 2 };

/// A command line that parses but makes no sense; the message names the flag.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A verb: adds its subcommand, whose callback leaves the exit code in `code`.
void add_fft(CLI::App& app, int& code);
void add_info(CLI::App& app, int& code);
void add_plan(CLI::App& app, int& code);
void add_spectrogram(CLI::App& app, int& code);

/// --strict and --nan, of every verb that reads sound.
struct sound_flags {
  bool strict = false;
  std::string nan = "refuse";

  void add_to(CLI::App& verb);
  sound_options options() const;
};

/// Runs `work` on each file; a failure is reported on stderr with the file's name and the rest go
/// on. exit_bad_data if any failed.
/// `on_failure` gets the file and the message as well.
int for_each_file(
    const std::vector<std::string>& files, const std::function<void(const std::string&)>& work,
    const std::function<void(const std::string&, const std::string&)>& on_failure = {});

/// The text with control characters as "\\xNN": names and tags come from strangers, terminals obey.
std::string printable(const std::string& text);

/// "1 frame", "2 frames".
std::string counted(std::uint64_t count, const char* noun);

/// "papilio: warning: TEXT" on stderr.
void warn(const std::string& text);

/// Prints on stdout; io_error if that fails (a full disk, a closed pipe).
void print(const std::string& text);

/// "1:02:03.500", "2:03.500" or "3.500 s".
std::string format_duration(double seconds);

/// "16 bit signed PCM, 44100 Hz, 2 channels"-like line of a sound's format.
std::string format_line(const sound_info& info);

}  // namespace papilio::cli

#pragma once

#include <sys/types.h>

#include <string>
#include <thread>
#include <vector>

namespace papilio::audio_detail {

/// A running ffmpeg or ffprobe, whose standard output is a pipe to us and whose messages are gathered
/// beside it. It is killed and waited for when the object goes; if our process dies first, its next
/// write finds a closed pipe, which ends it.
///
/// Its messages hold texts of the file, with line ends in them. So its arguments must be such that
/// all of them are errors (-loglevel level+error), and only where it says them tells what they are.
class ffmpeg_process {
 public:
  /// `arguments` without the program's name; `file` becomes its descriptor 3.
  /// Throws std::system_error where there is no such program or it cannot be started.
  ffmpeg_process(const char* program, const std::vector<std::string>& arguments, int file);
  ~ffmpeg_process();
  ffmpeg_process(const ffmpeg_process&) = delete;
  ffmpeg_process& operator=(const ffmpeg_process&) = delete;

  /// Whether both programs are on the path, as they are in one package.
  static bool is_installed();

  int output() const { return output_; }
  /// Closes its output and waits for its end. Why it did not do all its work: the first error that
  /// it told, of any but the decoders `ignored`, else how it ended. Empty where nothing was wrong.
  std::string wait(const std::vector<std::string>& ignored = {});

 private:
  void gather(int messages);
  void end();

  pid_t process_ = -1;
  int output_ = -1;
  // The gatherer's until it ends.
  std::string messages_;      // the beginning of them
  bool is_complete_ = false;  // its last word is that of -progress at its end
  std::thread gatherer_;
};

}  // namespace papilio::audio_detail

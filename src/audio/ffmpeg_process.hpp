#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace papilio::audio_detail {

/// A running ffmpeg, whose standard output is a pipe to us and whose messages are gathered beside
/// it. It is killed and waited for when the object goes; if our process dies first, its next write
/// finds a closed pipe, which ends it.
class ffmpeg_process {
 public:
  /// `arguments` without the program's name; `file` becomes its descriptor 3.
  /// Throws std::system_error where there is no such program or it cannot be started.
  ffmpeg_process(const std::vector<std::string>& arguments, int file);
  ~ffmpeg_process();
  ffmpeg_process(const ffmpeg_process&) = delete;
  ffmpeg_process& operator=(const ffmpeg_process&) = delete;

  static bool is_installed();

  int output() const { return output_; }
  /// The text behind `word` on the first line of its messages that has it, waiting until there is
  /// one; empty where there is none.
  std::string message_behind(const std::string& word);
  /// Closes its output and waits for its end. Its first message of an error; empty where there was
  /// none and it ended well.
  std::string wait();

 private:
  void gather(int messages);

  pid_t process_ = -1;
  int output_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string messages_;  // their beginning
  bool ended_ = false;
  std::thread gatherer_;
};

}  // namespace papilio::audio_detail

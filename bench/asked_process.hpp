#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

namespace papilio::bench {

/// A process that answers each line written to it with one line.
class asked_process {
 public:
  /// The command is found as a shell finds it; whether it is there shows in the first answer.
  explicit asked_process(const std::vector<std::string>& command);
  ~asked_process();
  asked_process(const asked_process&) = delete;
  asked_process& operator=(const asked_process&) = delete;

  /// Its answer, "" where it is not there or has ended.
  std::string ask(const std::string& line);
  /// The next line that it says unasked.
  std::string answer();
  /// Closes its input and waits for its end.
  void stop();
  bool is_there() const { return to_ != nullptr; }

 private:
  pid_t process_ = -1;
  std::FILE *to_ = nullptr, *from_ = nullptr;
};

}  // namespace papilio::bench

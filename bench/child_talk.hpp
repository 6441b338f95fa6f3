#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <sys/types.h>

namespace papilio::bench {

/// A process that answers each line written to it with one line.
class child_talk {
 public:
  /// Starts it; `ask` says whether it is there.
  explicit child_talk(const std::vector<std::string>& command);
  ~child_talk();
  child_talk(const child_talk&) = delete;
  child_talk& operator=(const child_talk&) = delete;

  /// Its answer, "" once it has ended.
  std::string ask(const std::string& line);

 private:
  pid_t process_;
  std::FILE *to_, *from_;
};

}  // namespace papilio::bench

#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "papilio/audio.hpp"

namespace papilio::test {

/// A pipe whose other end gives `bytes` in awkward pieces, then closes, or gives zeros for ever.
class giving_pipe {
 public:
  explicit giving_pipe(std::string bytes, bool endless = false) {
    ::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
    out_ = ends[0];
    giver_ = std::thread([bytes = std::move(bytes), in = ends[1], endless] {
      std::size_t done = 0, piece = 1;
      while (done < bytes.size()) {
        const std::size_t count = std::min(piece, bytes.size() - done);
        const ssize_t written = ::write(in, bytes.data() + done, count);
        if (written <= 0) break;
        done += static_cast<std::size_t>(written);
        piece = piece * 3 + 1;
      }
      const std::string zeros(4096, '\0');
      while (endless && ::write(in, zeros.data(), zeros.size()) > 0) continue;
      ::close(in);
    });
  }
  ~giving_pipe() {
    ::close(out_);
    giver_.join();
  }
  giving_pipe(const giving_pipe&) = delete;
  giving_pipe& operator=(const giving_pipe&) = delete;
  std::string name() const { return "/dev/fd/" + std::to_string(out_); }

 private:
  int out_ = -1;
  std::thread giver_;
};

/// Reads block by block to the end.
inline std::vector<float> read_on(sound_reader& reader) {
  const auto channels = static_cast<std::size_t>(reader.info().channels);
  std::vector<float> all;
  array<float, 2> block({997, channels});
  while (const std::size_t got = reader.read(block))
    all.insert(all.end(), block.begin(),
               block.begin() + static_cast<std::ptrdiff_t>(got * channels));
  return all;
}

}  // namespace papilio::test

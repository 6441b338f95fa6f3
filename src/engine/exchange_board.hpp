#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace papilio::engine_detail {

/// Where the cores of a group, each on a thread of its own, leave messages for each other. At most
/// `running_max` of them run at a time; who waits for a message lets another run. Messages from one
/// core to another arrive in the order of sending, so that no result depends on who runs when.
class exchange_board {
 public:
  exchange_board(int cores, int running_max);

  /// Around what a core does. A core that never begins must end nevertheless.
  void begin();
  void end(int core, bool has_begun = true);

  /// device_error where no message can ever come (all who could send have ended, or wait), where it
  /// is of another size, and for a core that is not there.
  void exchange(int self, int to, int from, std::span<const std::byte> sent,
                std::span<std::byte> received);
  /// Whether a core's exchange failed because others ended or waited: their fault comes first.
  bool starved(int core) const { return cores_[std::size_t(core)].starved; }

 private:
  struct core_state {
    int waits_for = -1;
    bool ended = false;
    bool starved = false;
  };
  bool has_message(int from, int to) const;
  bool nobody_goes_on() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> messages_;  // from, to
  std::vector<core_state> cores_;
  int running_ = 0, running_max_;
};

}  // namespace papilio::engine_detail

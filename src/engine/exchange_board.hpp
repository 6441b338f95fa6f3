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

/// Passes messages between the cores of a group, each of which runs on its own thread. At most
/// `running_max` threads run at a time; a core that waits for a message lets another run. Messages
/// from one core to another arrive in the order of sending, so that no result depends on
/// scheduling.
class exchange_board {
 public:
  exchange_board(int cores, int running_max);

  /// begin() and end() enclose the work of a core; begin() waits until the core may run. A core
  /// that never begins must end too, or the others would wait for its messages forever.
  void begin();
  void end(int core, bool has_begun = true);

  /// Sends a message to one core and waits for one from another. Throws device_error if the message
  /// can never come, since every core that could send has ended or waits, if it has another size,
  /// and for a core that does not exist.
  void exchange(int self, int to, int from, std::span<const std::byte> sent,
                std::span<std::byte> received);
  /// Returns whether a core's exchange failed because others had ended or waited, so that their
  /// errors are the cause and go before its own.
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
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> messages_;  // by (from, to)
  std::vector<core_state> cores_;
  int running_ = 0, running_max_;
};

}  // namespace papilio::engine_detail

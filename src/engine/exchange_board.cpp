#include "engine/exchange_board.hpp"

#include <algorithm>

#include "papilio/base/error.hpp"

namespace papilio::engine_detail {

exchange_board::exchange_board(int cores, int running_max)
    : cores_(std::size_t(cores)), running_max_(running_max) {}

void exchange_board::begin() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return running_ < running_max_; });
  ++running_;
}

void exchange_board::end(int core, bool has_begun) {
  const std::lock_guard lock(mutex_);
  cores_[std::size_t(core)].ended = true;
  if (has_begun) --running_;
  changed_.notify_all();
}

bool exchange_board::has_message(int from, int to) const {
  const auto found = messages_.find({from, to});
  return found != messages_.end() && !found->second.empty();
}

bool exchange_board::nobody_goes_on() const {
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    const core_state& core = cores_[c];
    if (core.ended) continue;
    if (core.waits_for < 0 || has_message(core.waits_for, int(c))) return false;
  }
  return true;
}

void exchange_board::exchange(int self, int to, int from, std::span<const std::byte> sent,
                              std::span<std::byte> received) {
  for (const int core : {to, from})
    if (core < 0 || core >= int(cores_.size()))
      throw device_error(base_detail::message("send_receive: core ", core,
                                              " is not in the group, which has ", cores_.size()));
  std::unique_lock lock(mutex_);
  core_state& own = cores_[std::size_t(self)];
  messages_[{self, to}].emplace_back(sent.begin(), sent.end());
  own.waits_for = from;
  --running_;
  changed_.notify_all();
  changed_.wait(lock, [&] {
    // All waiting cores are starved at once, so that it does not matter which of them wakes first.
    if (!own.starved && nobody_goes_on())
      for (core_state& c : cores_) c.starved = c.starved || !c.ended;
    return running_ < running_max_ && (own.starved || has_message(from, self));
  });
  own.waits_for = -1;
  ++running_;
  if (own.starved) {
    changed_.notify_all();
    throw device_error(base_detail::message("send_receive: core ", self, " waits for core ", from,
                                            ", which sends nothing more"));
  }
  std::deque<std::vector<std::byte>>& queue = messages_[{from, self}];
  const std::vector<std::byte> message = std::move(queue.front());
  queue.pop_front();
  if (message.size() != received.size())
    throw device_error(base_detail::message("send_receive: core ", self, " receives ",
                                            received.size(), " bytes, core ", from, " sent ",
                                            message.size()));
  std::ranges::copy(message, received.begin());
}

}  // namespace papilio::engine_detail

#include "engine/hand_order.hpp"

#include <algorithm>

namespace papilio::engine_detail {

int hand_order::make_semaphore() {
  semaphores_.emplace_back();
  return int(semaphores_.size()) - 1;
}

void hand_order::signal(int semaphore, int queue, double at_ns) {
  std::vector<signalled>& all = semaphores_[std::size_t(semaphore)];
  const signalled s{at_ns, queue, clocks_[std::size_t(queue)]};
  all.insert(std::ranges::upper_bound(all, at_ns, {}, &signalled::at_ns), s);
}

void hand_order::join() {
  clock all{};
  for (const clock& c : clocks_)
    for (std::size_t q = 0; q < all.size(); ++q) all[q] = std::max(all[q], c[q]);
  clocks_.fill(all);
}

hand_order::reached hand_order::wait(int semaphore, int value, int queue) {
  const std::vector<signalled>& all = semaphores_[std::size_t(semaphore)];
  clock& own = clocks_[std::size_t(queue)];
  if (value <= 0) return {};
  std::array<int, queue_count> signals{}, seen{};
  for (const signalled& s : all) ++signals[std::size_t(s.queue)];
  for (const signalled& s : all) {
    const int from_others = int(all.size()) - signals[std::size_t(s.queue)];
    if (++seen[std::size_t(s.queue)] != value - from_others) continue;
    for (std::size_t q = 0; q < own.size(); ++q) own[q] = std::max(own[q], s.seen[q]);
  }
  const signalled& last = all[std::size_t(value) - 1];
  return {last.at_ns, last.queue};
}

}  // namespace papilio::engine_detail

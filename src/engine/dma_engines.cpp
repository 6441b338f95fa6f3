#include "engine/dma_engines.hpp"

#include <algorithm>
#include <limits>

namespace papilio::engine_detail {
namespace {

constexpr double never_ns = std::numeric_limits<double>::infinity();

// Returns the first interval that ends after `ns`. Most transfers start near the latest one, so
// that a search from the end is short.
std::size_t first_ending_after(const std::vector<interval>& all, double ns) {
  std::size_t i = all.size();
  while (i > 0 && all[i - 1].end_ns > ns) --i;
  return i;
}

}  // namespace

interval dma_schedule::place(double start_ns, double work_ns, double wait_max_ns,
                             std::vector<interval>& busy) {
  if (end_ns() <= start_ns) {  // idle from there on
    const interval time{start_ns, start_ns + work_ns};
    busy_.add(time.start_ns, time.end_ns);
    busy.push_back(time);
    return time;
  }
  const std::vector<interval>& taken = busy_.intervals();
  const std::size_t first_new = busy.size();
  double now = start_ns, left = work_ns, waited = 0, owed = 0, begun = never_ns;
  for (std::size_t i = first_ending_after(taken, start_ns); left > 0; ++i) {
    const double gap_end = i < taken.size() ? taken[i].start_ns : never_ns;
    if (now < gap_end) {
      const double take = std::min(left, gap_end - now);
      begun = std::min(begun, now);
      busy.push_back({now, now + take});
      now += take;
      left -= take;
    }
    if (left <= 0 || i >= taken.size()) break;
    const double wait = std::min(taken[i].end_ns - now, wait_max_ns - waited);
    waited += wait;
    now += wait;
    const double between = std::min(left, taken[i].end_ns - now);
    if (between > 0) {
      begun = std::min(begun, now);
      now += between;
      left -= between;
      owed += between;
    }
  }
  for (std::size_t i = first_new; i < busy.size(); ++i) busy_.add(busy[i].start_ns, busy[i].end_ns);
  if (owed > 0) fill(now, owed, busy);
  return {begun, now};
}

// Marks the first `work_ns` of idle time from `from_ns` on as busy.
void dma_schedule::fill(double from_ns, double work_ns, std::vector<interval>& busy) {
  const std::vector<interval>& taken = busy_.intervals();
  const std::size_t first_new = busy.size();
  for (std::size_t i = first_ending_after(taken, from_ns); work_ns > 0; ++i) {
    const double gap_end = i < taken.size() ? taken[i].start_ns : never_ns;
    if (from_ns < gap_end) {
      const double take = std::min(work_ns, gap_end - from_ns);
      busy.push_back({from_ns, from_ns + take});
      work_ns -= take;
    }
    if (i < taken.size()) from_ns = std::max(from_ns, taken[i].end_ns);
  }
  for (std::size_t i = first_new; i < busy.size(); ++i) busy_.add(busy[i].start_ns, busy[i].end_ns);
}

dma_engines::dma_engines(const engine::dma_spec& spec)
    : spec_(spec), engines_(1), queues_(std::size_t(spec.queues_per_engine)) {}

// Returns the time of one round over the other queues: one buffer of each that has work in
// [from_ns, until_ns).
double dma_engines::round_ns(const queue_state& own, double from_ns, double until_ns) const {
  double round = 0;
  for (const queue_state& q : queues_)
    if (&q != &own && q.end_ns > from_ns && q.begin_ns < until_ns) round += q.buffer_ns;
  return round;
}

// Places the share of one engine. While all engines have had equal shares, their schedules are
// equal and engine 0 stands for all of them.
interval dma_engines::place_share(std::size_t engine, double start_ns, double work_ns,
                                  double wait_max_ns) {
  dma_schedule& schedule = engines_[engine];
  const interval time = schedule.place(start_ns, work_ns, wait_max_ns, busy_);
  end_ns_ = std::max(end_ns_, schedule.end_ns());
  return time;
}

interval dma_engines::place(std::uint64_t buffers, double each_ns, int queue, double ready_ns) {
  queue_state& own = queues_[std::size_t(queue)];
  const bool queued = own.end_ns > ready_ns + spec_.start_ns;
  const double start_ns = queued ? own.end_ns : ready_ns + spec_.start_ns;
  const auto engines = std::size_t(spec_.engines);
  const std::uint64_t share = (buffers + engines - 1) / engines;
  const double round = round_ns(own, start_ns, start_ns + double(share) * each_ns);
  busy_ns_ += double(buffers) * each_ns;
  spans_.clear();
  busy_.clear();

  interval whole{never_ns, start_ns};
  if (engines_.size() == 1 && share * engines == buffers) {
    whole = place_share(0, start_ns, double(share) * each_ns, double(share) * round);
  } else {
    if (engines_.size() < engines) engines_.resize(engines, engines_[0]);
    for (std::uint64_t left = buffers; left > 0;) {
      const std::size_t e = next_engine_;
      if (++next_engine_ == engines) next_engine_ = 0;
      const std::uint64_t own_share = std::min(share, left);
      left -= own_share;
      const interval time =
          place_share(e, start_ns, double(own_share) * each_ns, double(own_share) * round);
      spans_.push_back({int(e), time});
      whole.start_ns = std::min(whole.start_ns, time.start_ns);
      whole.end_ns = std::max(whole.end_ns, time.end_ns);
    }
  }
  own = {queued ? own.begin_ns : start_ns, whole.end_ns, each_ns};
  return whole_ = whole;
}

std::vector<dma_span> dma_engines::spans() const {
  if (!spans_.empty()) return spans_;
  std::vector<dma_span> alike;
  for (int e = 0; e < spec_.engines; ++e) alike.push_back({e, whole_});
  return alike;
}

}  // namespace papilio::engine_detail

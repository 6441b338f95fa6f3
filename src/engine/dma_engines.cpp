#include "engine/dma_engines.hpp"

#include <algorithm>

#include "engine/instruction_time.hpp"

namespace papilio::engine_detail {

dma_engines::dma_engines(const engine::dma_spec& spec)
    : spec_(spec),
      free_ns_(std::size_t(spec.engines)),
      queues_(std::size_t(spec.queues_per_engine)),
      busy_(std::size_t(spec.engines)) {}

interval dma_engines::place(const engine::instruction_cost& cost, int queue, double ready_ns) {
  queue_state& own = queues_[std::size_t(queue)];
  const double start_ns = std::max(ready_ns + spec_.start_ns, own.end_ns);
  const double each_ns = buffer_ns(cost, spec_);
  // What a round of the other queues with work takes, and when the last of them ends: what an
  // engine owes beyond that is of no queue and goes first.
  double round_ns = 0, last_ns = start_ns;
  for (const queue_state& q : queues_) {
    if (&q == &own || q.end_ns <= start_ns) continue;
    round_ns += q.buffer_ns;
    last_ns = std::max(last_ns, q.end_ns);
  }

  const std::size_t engines = free_ns_.size();
  const std::uint64_t share = (cost.dma_buffers + engines - 1) / engines;
  const std::size_t used = std::size_t((cost.dma_buffers + share - 1) / share);
  interval whole{1e300, start_ns};
  spans_.clear();
  moving_.clear();
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t e = next_engine_;
    if (++next_engine_ == engines) next_engine_ = 0;
    const std::uint64_t buffers = std::min(share, cost.dma_buffers - i * share);
    const double work_ns = double(buffers) * each_ns;
    const double owed_ns = std::max(0.0, free_ns_[e] - start_ns);
    const double debt_ns = std::max(0.0, free_ns_[e] - last_ns);
    const double others_ns = std::min(owed_ns, double(buffers) * round_ns + debt_ns);
    const interval time{start_ns + others_ns, start_ns + others_ns + work_ns};
    free_ns_[e] = std::max(free_ns_[e], start_ns) + work_ns;
    busy_ns_ += work_ns;
    busy_[e].add(start_ns, work_ns, moving_);
    end_ns_ = std::max(end_ns_, busy_[e].end_ns());
    spans_.push_back({int(e), time});
    whole.start_ns = std::min(whole.start_ns, time.start_ns);
    whole.end_ns = std::max(whole.end_ns, time.end_ns);
  }
  own = {whole.end_ns, each_ns};
  return whole;
}

}  // namespace papilio::engine_detail

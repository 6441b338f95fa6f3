#include "calibration/host_steadiness.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "calibration/host_bandwidth.hpp"
#include "calibration/host_kernels.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::calibration {

void steadiness_probe::run() {
  struct loop {
    double wall = 0, cpu = 0, flops = 0;
  };
  std::vector<loop> loops(static_cast<std::size_t>(cores_));
  parallel_for(loops.size(), cores_, [&](std::size_t i) {
    float sink = 1;
    const double wall = wall_seconds(), cpu = thread_seconds();
    loop all;
    while (all.cpu < seconds_) {
      all.flops += multiply_add_float(20000, &sink);
      all.cpu = thread_seconds() - cpu;
    }
    all.wall = wall_seconds() - wall;
    loops[i] = all;
  });
  loop sum;
  for (const loop& one : loops) {
    sum.wall += one.wall;
    sum.cpu += one.cpu;
    sum.flops += one.flops;
  }
  wall_ += sum.wall;
  cpu_ += sum.cpu;
  const double rate = sum.flops / sum.cpu;
  fastest_ = std::max(fastest_, rate);
  slowest_ = slowest_ == 0 ? rate : std::min(slowest_, rate);
}

host_steadiness steadiness_probe::found() const {
  return {.waited_share = std::max(0.0, 1 - cpu_ / wall_), .spread = fastest_ / slowest_ - 1};
}

host_steadiness current_steadiness(int cores) {
  steadiness_probe probe(cores, 0.02);
  probe.run();
  return probe.found();
}

std::string host_steadiness::fault() const {
  constexpr double most_waited = 0.1, most_spread = 0.25;
  const auto percent = [](double share) { return std::lround(100 * share); };
  if (waited_share > most_waited)
    return base_detail::message("its threads waited for a core ", percent(waited_share),
                                " % of the time, more than ", percent(most_waited),
                                " %: other programs are running");
  if (spread > most_spread)
    return base_detail::message("one and the same loop took up to ", percent(spread),
                                " % longer at times, more than ", percent(most_spread),
                                " %: the processor's speed changes, or others use it");
  return {};
}

}  // namespace papilio::calibration

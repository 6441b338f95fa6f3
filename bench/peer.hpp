#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace papilio::bench {

/// CPU seconds of this thread: what a neighbour takes while we are descheduled does not count.
inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds of a fixed piece of arithmetic in registers and L1: tells a quiet moment of the machine
/// from one in which a neighbour shares the core.
inline double calibration_seconds() {
  static float data[1024];
  volatile float sink = 0;
  const double start = thread_seconds();
  float sum[16] = {};
  for (int pass = 0; pass < 64; ++pass)
    for (std::size_t i = 0; i < 1024; i += 16)
      for (std::size_t j = 0; j < 16; ++j) sum[j] = sum[j] * 0.5f + data[i + j];
  for (float s : sum) sink = sink + s;
  return thread_seconds() - start;
}

inline double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

struct comparison {
  double ours_seconds, peer_seconds;
};

/// Times two functions in turns, blocks of at least 200 us, and returns the median seconds of one
/// call over the blocks whose neighbourhood was quiet (calibration within 15 % of the best seen).
template <class Ours, class Peer>
comparison compare(const Ours& ours, const Peer& peer, int blocks = 41) {
  const auto time_block = [](const auto& run, std::size_t calls) {
    const double start = thread_seconds();
    for (std::size_t i = 0; i < calls; ++i) run();
    return (thread_seconds() - start) / static_cast<double>(calls);
  };
  const auto calls_for = [&](const auto& run) {
    time_block(run, 1);
    std::size_t calls = 1;
    while (time_block(run, calls) * static_cast<double>(calls) < 2e-4) calls *= 2;
    return calls;
  };
  const std::size_t our_calls = calls_for(ours), peer_calls = calls_for(peer);
  struct sample {
    double seconds, noise;
  };
  std::vector<sample> all[2];
  double quiet = 1;
  for (int b = 0; b < blocks; ++b)
    for (int who = 0; who < 2; ++who) {
      const double before = calibration_seconds();
      const double seconds = who == 0 ? time_block(ours, our_calls) : time_block(peer, peer_calls);
      const double after = calibration_seconds();
      quiet = std::min({quiet, before, after});
      all[who].push_back({seconds, std::max(before, after)});
    }
  const auto quiet_median = [&](const std::vector<sample>& samples) {
    std::vector<double> kept, every;
    for (const sample& s : samples) {
      every.push_back(s.seconds);
      if (s.noise <= 1.15 * quiet) kept.push_back(s.seconds);
    }
    return median(kept.size() >= 5 ? kept : every);
  };
  return {quiet_median(all[0]), quiet_median(all[1])};
}

}  // namespace papilio::bench

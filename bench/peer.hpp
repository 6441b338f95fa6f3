#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace papilio::bench {

/// CPU seconds of this thread: what a neighbour takes while we are descheduled does not count.
inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline double wall_seconds() {
  const std::chrono::duration<double> t = std::chrono::steady_clock::now().time_since_epoch();
  return t.count();
}

/// Seconds of a fixed piece of arithmetic in registers and L1: tells a quiet moment of the machine
/// from one in which a neighbour shares the core. Its data is fetched before the clock starts: a
/// large transform has left none of it in the cache.
inline double calibration_seconds() {
  static float data[1024];
  volatile float sink = 0;
  float sum[16] = {};
  const auto pass_over_data = [&sum] {
    for (std::size_t i = 0; i < 1024; i += 16)
      for (std::size_t j = 0; j < 16; ++j) sum[j] = sum[j] * 0.5f + data[i + j];
  };
  // For the compiler: both arrays may have been read and written here.
  const auto use_arrays = [&sum] { asm volatile("" : : "r"(sum), "r"(data) : "memory"); };
  use_arrays();
  pass_over_data();
  use_arrays();
  const double start = thread_seconds();
  for (int pass = 0; pass < 64; ++pass) pass_over_data();
  use_arrays();
  const double end = thread_seconds();
  for (float s : sum) sink = sink + s;
  return end - start;
}

/// The fastest calibration that this process has seen.
inline double& best_calibration_seconds() {
  static double best = std::numeric_limits<double>::infinity();
  return best;
}

inline double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// How much is measured: blocks of each side, fewer where that many would take longer than
/// `seconds` (of both sides together), but at least `least_blocks`.
struct budget {
  int blocks = 41;
  int least_blocks = 7;
  double seconds = 3;
  double block_seconds = 2e-4;
};

/// Median seconds of one call of each side; `is_quiet` unless too few blocks were quiet, in which
/// case the medians are of all blocks.
struct comparison {
  double first_seconds, second_seconds;
  bool is_quiet;
};

namespace detail {

struct sample {
  double seconds, noise;
};

template <class Run>
double time_block(const Run& run, std::size_t calls, double (*now)()) {
  const double start = now();
  for (std::size_t i = 0; i < calls; ++i) run();
  return (now() - start) / static_cast<double>(calls);
}

template <class Run>
std::size_t calls_for(const Run& run, double block_seconds, double (*now)()) {
  time_block(run, 1, now);
  std::size_t calls = 1;
  while (time_block(run, calls, now) * static_cast<double>(calls) < block_seconds) calls *= 2;
  return calls;
}

template <class Run>
sample bracketed_block(const Run& run, std::size_t calls, double (*now)()) {
  const double before = calibration_seconds();
  const double seconds = time_block(run, calls, now);
  const double after = calibration_seconds();
  double& best = best_calibration_seconds();
  best = std::min({best, before, after});
  return {seconds, std::max(before, after)};
}

inline std::vector<double> quiet_ones(const std::vector<sample>& samples) {
  std::vector<double> kept;
  for (const sample& s : samples)
    if (s.noise <= 1.15 * best_calibration_seconds()) kept.push_back(s.seconds);
  return kept;
}

inline double median_of_all(const std::vector<sample>& samples) {
  std::vector<double> all;
  for (const sample& s : samples) all.push_back(s.seconds);
  return median(all);
}

}  // namespace detail

/// Medians of one call of each side, and whether enough blocks of all were quiet; else the medians
/// are of all blocks.
struct times_of_all {
  std::vector<double> seconds;
  bool is_quiet;
};

/// Times functions in turns. A block counts if the calibrations before and after it were within 15 %
/// of the best ever seen; others are repeated, up to twice the number of blocks wanted.
inline times_of_all time_in_turns(const std::vector<std::function<void()>>& sides,
                                  const budget& much = {}, double (*now)() = thread_seconds) {
  std::vector<std::size_t> calls;
  for (const auto& side : sides) calls.push_back(detail::calls_for(side, much.block_seconds, now));
  std::vector<std::vector<detail::sample>> samples(sides.size());
  const double start = wall_seconds();
  const auto wanted = [&] {
    const double turn_seconds = (wall_seconds() - start) / static_cast<double>(samples[0].size());
    return std::clamp(static_cast<int>(much.seconds / turn_seconds), much.least_blocks,
                      much.blocks);
  };
  const auto all_have = [&](std::size_t enough) {
    return std::ranges::all_of(
        samples, [&](const auto& of_side) { return detail::quiet_ones(of_side).size() >= enough; });
  };
  do {
    for (std::size_t i = 0; i < sides.size(); ++i)
      samples[i].push_back(detail::bracketed_block(sides[i], calls[i], now));
    const auto enough = static_cast<std::size_t>(wanted());
    if (samples[0].size() >= 3 * enough || all_have(enough)) break;
  } while (true);
  times_of_all found{{}, all_have(static_cast<std::size_t>(std::min(5, much.least_blocks)))};
  for (const auto& of_side : samples)
    found.seconds.push_back(found.is_quiet ? median(detail::quiet_ones(of_side))
                                           : detail::median_of_all(of_side));
  return found;
}

/// The same of two.
inline comparison compare(const std::function<void()>& first, const std::function<void()>& second,
                          const budget& much = {}, double (*now)() = thread_seconds) {
  const times_of_all t = time_in_turns({first, second}, much, now);
  return {t.seconds[0], t.seconds[1], t.is_quiet};
}

}  // namespace papilio::bench

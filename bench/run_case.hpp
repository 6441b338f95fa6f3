#pragma once

#include <string>

#include "cases.hpp"
#include "fftw_peer.hpp"
#include "peer.hpp"

namespace papilio::bench {

struct result {
  double our_seconds = 0, peer_seconds = 0;
  std::string recipe = {};
  bool is_quiet = true;          ///< enough blocks were
  bool peer_is_measured = true;  ///< FFTW had time enough for MEASURE
  double difference = 0;         ///< |ours - FFTW's| / |FFTW's| on random input

  double ratio() const { return peer_seconds / our_seconds; }
};

/// Whether this version of papilio has what the case needs.
bool is_there_with_threads(const bench_case& c);

/// Whether the two agree as well as their precision allows.
bool agrees(const bench_case& c, const result& r);

/// papilio beside FFTW on one thread, out of place, in turns, on the same operands.
result run_case(const bench_case& c, const budget& much, double limit_seconds, wisdom_file& wisdom);

/// Only plans FFTW, for the wisdom. Whether the time was enough.
bool plan_peer(const bench_case& c, double limit_seconds, wisdom_file& wisdom);

/// papilio on one thread and on several, wall time; without FFTW.
struct thread_result {
  double one_seconds = 0, many_seconds = 0;
  bool is_quiet = true;
  double gain() const { return one_seconds / many_seconds; }
};
thread_result run_threads(const bench_case& c, int threads, const budget& much);

/// Milliseconds to make a plan of length n by estimate: the first one, and the median of some.
struct planning_result {
  double first_milliseconds = 0, median_milliseconds = 0;
};
planning_result run_planning(std::size_t n);

}  // namespace papilio::bench

#pragma once

#include <algorithm>
#include <string>

#include "cases.hpp"
#include "fftw_peer.hpp"
#include "peer.hpp"

namespace papilio::bench {

struct result {
  double our_seconds = 0, fftw_seconds = 0;
  double mkl_seconds = 0;  ///< 0 without MKL
  std::string recipe = {};
  bool is_quiet = true;          ///< enough blocks were
  bool fftw_is_measured = true;  ///< it had time enough for MEASURE
  double difference = 0;         ///< |ours - FFTW's| / |FFTW's| on random input

  bool has_mkl() const { return mkl_seconds > 0; }
  double of_fftw() const { return fftw_seconds / our_seconds; }
  double of_mkl() const { return mkl_seconds / our_seconds; }
  double of_faster() const { return has_mkl() ? std::min(of_fftw(), of_mkl()) : of_fftw(); }
};

/// Whether the two agree as well as their precision allows.
bool agrees(const bench_case& c, const result& r);

/// papilio beside FFTW, and MKL in a build with it, on one thread, out of place, in turns, on the same operands.
result run_case(const bench_case& c, const budget& much, double limit_seconds, wisdom_file& wisdom);

/// Only plans FFTW, for the wisdom. Whether the time was enough.
bool plan_peer(const bench_case& c, double limit_seconds, wisdom_file& wisdom);

/// Milliseconds to make a plan of length n by estimate: the first one, and the median of some.
struct planning_result {
  double first_milliseconds = 0, median_milliseconds = 0;
};
planning_result run_planning(std::size_t n);

/// Of one line whose output begins at each multiple of 64 bytes of a page, the input at the page's
/// begin: medians of some times each.
struct offsets_result {
  double best_seconds = 0, median_seconds = 0, worst_seconds = 0;
};
offsets_result run_offsets(std::size_t n, bool is_double);

}  // namespace papilio::bench

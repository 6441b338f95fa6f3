#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "clock.hpp"

// Rows that Google Benchmark runs. Each repetition is one turn: a block of calls of papilio and of
// each peer, one after the other on the same operands. The row's time is papilio's, a counter with
// a peer's name the peer's time over papilio's in that turn. So the medians that Google Benchmark
// makes of the repetitions are of times, and of ratios of neighbours in time.
namespace papilio::bench {

struct side {
  std::string name;                            ///< of its counter; papilio's is not used
  std::function<double(std::size_t)> seconds;  ///< of so many calls
};

side timed(const std::string& name, std::function<void()> call, double (*now)() = thread_seconds);

struct row {
  std::vector<side> sides;                      ///< papilio's first
  double work = 0;                              ///< of a call, for the counter of its rate
  std::string rate = "GFLOPS";                  ///< 1e-9 of the work in a second; none without work
  std::map<std::string, double> counters = {};  ///< of all turns alike
  std::string label = {};
  std::string fault = {};       ///< why its times count for nothing; empty: they do
  double block_seconds = 2e-4;  ///< a turn of a side takes at least this long
  double most_seconds = 3;      ///< turns after these seconds give earlier turns' times again
};

/// `make` is called before the row's first turn, and what it made is destroyed before another row's.
/// The part of `name` before the first '/' is its class.
void add_row(const std::string& name, std::function<row()> make);

/// Text of the JSON's context.
void add_context(const std::string& key, const std::string& value);

/// Runs the rows whose names match, and prints their medians. Options are Google Benchmark's, with
/// `repetitions` turns where they say nothing; words that are no options are what names begin with.
/// `about`: what --help says first. `unasked`: the filter where nothing is asked for. The exit status:
/// 1 where a row has a fault or threw, or none matches.
int run_rows(int argc, char** argv, const char* about, int repetitions = 9,
             const std::string& unasked = ".");

}  // namespace papilio::bench

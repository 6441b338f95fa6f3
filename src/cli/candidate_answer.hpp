#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "papilio/dispatch.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {

/// One candidate's answer.
struct candidate_answer {
  const fft_candidate* candidate;
  std::string refusal;         ///< empty: it can do the problem, and the rest holds
  fft_estimate estimate = {};  ///< seconds: of one thread
  double seconds = 0;          ///< on the threads that were asked for
  struct built {
    std::string recipe;
    std::size_t table_bytes, scratch_bytes;
    double planning_seconds;
    std::optional<double> measured_seconds;
  };
  std::optional<built> plan = {};
};

/// Asks a candidate for its estimate of so many transforms. A plan is built unless that would take
/// minutes and gigabytes, and is timed where the problem is to be measured.
candidate_answer ask(const fft_candidate& candidate, const fft_problem& problem, std::size_t lines,
                     int threads);

}  // namespace papilio::cli

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/plan_operation.hpp"
#include "cli/report.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {

/// How the backends of the host are asked about a transform.
struct candidate_flags {
  std::string type = "float", effort = "estimate", backend, wisdom;
  int threads = 1;
};

/// One candidate's answer.
struct answer {
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

struct plan_answers {
  planned_transform transform = {};
  std::string runs = {}, why = {};  ///< of the host's backends, if it runs; empty where none can
  std::vector<answer> answers = {};
};

/// Asks every backend of the host. invalid_argument for one that is asked for and cannot.
plan_answers ask_candidates(const planned_transform& transform, const candidate_flags& flags);

/// What transforms alone have; null for programs without answers. `instead`: "the device runs", for
/// example; empty where the host does.
report candidates_report(const candidate_flags& flags, const std::optional<plan_answers>& found,
                         const std::string& instead);

}  // namespace papilio::cli

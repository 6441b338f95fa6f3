#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/json_value.hpp"
#include "cli/plan_expression.hpp"
#include "papilio/dispatch.hpp"
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
  std::string refusal;    ///< empty: it can do the problem, and the rest holds
  fft_estimate estimate;  ///< seconds: of one thread
  double seconds;         ///< on the threads that were asked for
  struct built {
    std::string recipe;
    std::size_t table_bytes, scratch_bytes;
    double planning_seconds;
    std::optional<double> measured_seconds;
  };
  std::optional<built> plan;
};

struct plan_report {
  planned_transform transform;
  std::string rates;      ///< what estimates rest on
  std::string runs, why;  ///< of the host's backends, if the host runs; empty where none can
  std::vector<answer> answers;
};

/// Asks every backend of the host. invalid_argument for one that is asked for and cannot.
plan_report ask_candidates(const planned_transform& transform, const candidate_flags& flags);

/// Lines of text. `instead`: "the device runs", for example; empty where the host does.
std::string candidates_text(const candidate_flags& flags, const plan_report& report,
                            const std::string& instead);
/// The keys of transforms, put into `json`; null without a report.
void add_candidates_json(json_value& json, const candidate_flags& flags, const plan_report* report,
                         bool host_runs);

}  // namespace papilio::cli

#pragma once

#include "cli/gemm_thresholds.hpp"
#include "cli/plan_operation.hpp"
#include "cli/report.hpp"
#include "papilio/dispatch.hpp"

namespace papilio::cli {

/// The accelerator that is compared with, and how it computes.
struct comparison_flags {
  std::string machine, runtime, policy, precision = "native";
  std::optional<int> cores;
  std::optional<double> target_error;

  /// --machine, --runtime, --cores, --policy, --precision and --target-error.
  void add_to(command& verb);
  /// Whether there is a policy that somebody named: --policy or PAPILIO_POLICY.
  bool asks_policy() const;
};

/// The two sides of an operation, and where the verdict turns.
struct compared_sides {
  std::unique_ptr<accelerator> device = {};
  comparison sides = {};
  crossover turns = {};
  std::optional<std::vector<gemm_threshold>> thresholds = {};  ///< of gemm
};

/// The machine, runtime and cores of the flags, else of PAPILIO_MACHINE, PAPILIO_RUNTIME and
/// PAPILIO_CORES, else trainium1, sdk_2_24 and 1. Errors as make_accelerator and explain.
compared_sides compare_sides(const planned_operation& planned, const comparison_flags& flags,
                             int threads, const std::string& backend);

report sides_report(const compared_sides& of);

}  // namespace papilio::cli

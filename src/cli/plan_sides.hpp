#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "cli/json_value.hpp"
#include "cli/plan_operation.hpp"
#include "cli/plan_thresholds.hpp"
#include "papilio/dispatch.hpp"

namespace papilio::cli {

/// The accelerator that is compared with, and how it computes.
struct comparison_flags {
  std::string machine, runtime, policy, precision = "native";
  double target_error = 0;

  /// --machine, --runtime, --policy, --precision and --target-error.
  void add_to(command& verb);
  /// Whether there is a policy that somebody named: --policy or PAPILIO_POLICY.
  bool asks_policy() const;
  /// Their names.
  static std::vector<const char*> names();
};

/// The two sides of an operation, and where the verdict turns.
struct side_report {
  std::unique_ptr<accelerator> device = {};
  comparison sides = {};
  crossover turns = {};
  std::optional<gemm_thresholds> thresholds = {};  ///< of gemm
};

/// The machine and runtime of the flags, else of PAPILIO_MACHINE and PAPILIO_RUNTIME, else
/// trainium1 and sdk_2_24. Errors as load_machine, load_runtime and explain.
side_report compare_sides(const operation& what, const comparison_flags& flags, int threads,
                          const std::string& backend);

/// Lines of text.
std::string side_text(const side_report& report);
/// The keys of the report, put into `json`: "operation", "policy", "automatic", "host", "device",
/// "situations", "crossover" and "thresholds".
void add_side_json(json_value& json, const side_report& report);

}  // namespace papilio::cli

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/published_residuals.hpp"
#include "cli/report.hpp"

namespace papilio::cli {

/// The constants of one machine, runtime or published host program, with their sources.
struct constant_group {
  std::string name;
  std::vector<engine::sourced_value> constants;
};

/// Every constant of what was modelled.
std::vector<constant_group> constants_of(const calibration::published_report& of,
                                         const engine::machine_spec& machine,
                                         const std::optional<engine::runtime_spec>& runtime);

json_value json_of(const std::vector<constant_group>& groups);

/// A table of the constants; those that a document of the vendor has are counted unless `all`.
void add_lines(report& made, const std::vector<constant_group>& groups, bool all);

}  // namespace papilio::cli

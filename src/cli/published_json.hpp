#pragma once

#include <vector>

#include "cli/published_residuals.hpp"
#include "cli/report.hpp"

namespace papilio::cli::published_verb {

const char* role_name(kernels::published::row_role role);

/// Adds every row, and what there is of its model, to the JSON of the report.
void add_rows(report& made, const published_report& of);

json_value json_of(const std::vector<constant_group>& groups);

}  // namespace papilio::cli::published_verb

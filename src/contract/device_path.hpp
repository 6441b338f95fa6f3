#pragma once

#include "contract/lowered_plan.hpp"

namespace papilio::contract_detail {

/// The order whose program is the fastest on the accelerator that the execution names, of those
/// that several searches find. device_error without an accelerator, and where it cannot do any.
contraction_path fastest_path(const plan_problem& problem, const path_options& options,
                              const execution& on);

}  // namespace papilio::contract_detail

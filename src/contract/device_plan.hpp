#pragma once

#include <span>

#include "contract/lowered_plan.hpp"

// Plans that an accelerator runs: all steps as one operation.
namespace papilio::contract_detail {

/// The operation that a plan is, of operands in their extents.
contraction_problem problem_of(const plan_problem& problem, const contraction_path& path,
                               const std::vector<lowered_step>& steps);

/// Threads and backend of the policy host, whose precision plans check. Throws as place(), in the name
/// of `function`.
void require_host_execution(const char* function, const execution& on);
/// Returns the accelerator where the execution wants the problem to run; null: the host. Throws as
/// place, in the name of `function`.
accelerator* accelerator_for(const char* function, const contraction_problem& problem,
                             const execution& on);

/// Whether something has no elements: no accelerator does that.
bool is_empty(const contraction_problem& problem);

/// out = alpha result + beta out, by one launch; alpha and beta by the host, where they are not 1
/// and 0.
template <class T>
void run_on_device(const lowered_plan& plan, std::span<const T* const> operands, T* out, T alpha,
                   T beta);

}  // namespace papilio::contract_detail

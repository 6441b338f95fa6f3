#pragma once

#include <memory>
#include <vector>

#include "kernels/operations/device_runs.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device_group.hpp"

// Operations on a group of cores: divided among them, or on core 0 alone; dry runs of both decide.
namespace papilio::operations_detail {

/// A lower bound of an operation's time on a group, from that of one core.
device_estimate bound_on_group(const device_estimate& alone, const engine::device_group& on);

/// The estimate of the fastest of core 0 alone, the first 2, 4, 8 ... and all cores. Where none can
/// do it, the error of core 0 is thrown.
device_estimate estimate_on_group(const operation& what, const precision_options& precision,
                                  const engine::device_group& on);
std::shared_ptr<const device_program> build_on_group(const operation& what,
                                                     const precision_options& precision,
                                                     engine::device_group& on);

/// Runs divided work, and returns the record of its phases.
run_record run_on_group(const kernels_detail::divided_work& work, const engine::device_group& on,
                        const std::vector<engine::launch_input>& in,
                        const std::vector<engine::launch_output>& out);

}  // namespace papilio::operations_detail

#pragma once

#include <string>
#include <vector>

#include "papilio/base/function_ref.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/dispatch/run_record.hpp"

namespace papilio::decompose_detail {

/// What an accelerator would run, one after the other.
struct side_work {
  std::vector<pipeline_step> steps;
  operand_shapes arrays;  ///< that go up once, and come back once
};
/// A step that runs so often, and the arrays of the host that go up and come back each time, in one
/// piece each.
pipeline_step step_of(const contraction_problem& problem, std::size_t times, std::size_t floats_in,
                      std::size_t floats_out);

/// Where a decomposition runs; null: the host. `work` is asked for what it would be where that may
/// be an accelerator. invalid_argument, in the name of `function`: threads below 0, a precision
/// that is not native, inside capture() on an accelerator; device_error, both as place().
accelerator* side_of(const char* function, const execution& on, function_ref<side_work()> work);

/// For last_run(); `operation` lasts for ever.
void record_host(const char* operation);
void record_device(run_record sum, std::string operation);

/// "CP of 4x5x6"
std::string operation_text(const char* what, std::span<const std::size_t> extents);

}  // namespace papilio::decompose_detail

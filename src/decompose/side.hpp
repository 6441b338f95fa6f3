#pragma once

#include <string>
#include <vector>

#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::decompose_detail {

template <class T>
constexpr real_type real_type_of =
    sizeof(T) == sizeof(float) ? real_type::single_precision : real_type::double_precision;

/// What an accelerator would run, one after the other.
using side_work = std::vector<submission>;

/// x goes up, and stays.
submission upload_of(std::span<const std::size_t> extents);
/// A step that is submitted so often, with what goes up and comes back each time.
submission dispatch_of(const contraction_problem& problem, std::size_t times, std::size_t floats_in,
                       std::size_t floats_out);

/// The accelerator on which a decomposition runs, or null for the host. `work` is called for the
/// decomposition's costs only if an accelerator is possible. invalid_argument, in the name of `function`: threads below 0, a precision
/// that is not native, inside capture() on an accelerator; device_error, both as place().
accelerator* side_of(const char* function, const execution& on, function_ref<side_work()> work);

/// The same of what no accelerator does, as it computes in double: policy::device is a
/// device_error.
void require_host(const char* function, const execution& on);

/// For last_run(): `what`, which lasts for ever, of an array; `runs` are the accelerator's.
void record_side(const accelerator* device, const char* what, std::span<const std::size_t> extents,
                 run_record runs);

}  // namespace papilio::decompose_detail

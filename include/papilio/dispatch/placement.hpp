#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio {

/// Estimate of an operation on the host. Nothing is measured.
struct host_estimate {
  std::string backend = {};
  std::string recipe = {};
  double seconds = 0;
  double flops = 0;
  double bytes_moved = 0;     ///< between memory and caches
  double relative_error = 0;  ///< expected, Euclidean norm
  std::string basis = {};     ///< where the host's figures come from
};

/// Host row of a component: what the host can do there. A component that computes an operation
/// passes its row to place(), explain() and the like; nothing is registered.
struct host_row {
  /// Backends that execution::backend may name, papilio's own code first.
  std::vector<std::string> backends = {};
  /// Estimates the backend that execution::backend names, or papilio's own. An error says why the
  /// host cannot do the operation.
  host_estimate (*estimate)(const operation& what, const execution& on) = nullptr;
};

/// Returns the host's estimates of products of matrices and numbers, contractions, layers and
/// copies, by its roofline. Transforms have the rows host_transforms() and host_signals().
PAPILIO_API const host_row& host_roofline();

/// Problem types that host_roofline() has.
template <class Problem>
concept roofline_problem =
    std::same_as<Problem, product_problem> || std::same_as<Problem, gemm_problem> ||
    std::same_as<Problem, pair_energy_problem> ||
    std::same_as<Problem, integral_transform_problem> ||
    std::same_as<Problem, arrangement_problem> || std::same_as<Problem, contraction_problem> ||
    std::same_as<Problem, layer_problem> || std::same_as<Problem, triangle_problem>;

/// Calls host_row::estimate and adds the source of the host's figures.
PAPILIO_API host_estimate estimate_on_host(const operation& what, const execution& on,
                                           const host_row& host);

/// Returns the names for execution::backend: those of the host, then that of accelerators.
PAPILIO_API std::vector<std::string> backend_names(const host_row& host);

/// Throws invalid_argument, naming `function` and the names, unless it is one of them.
PAPILIO_API void require_known_backend(const char* function, const std::string& name,
                                       const host_row& host);

/// Returns the accelerator for an operation with operands on the host; null: the host.
///
/// Under `automatic` the accelerator is taken if its estimate is below the host's: its bound
/// (launch, copies, floor) is compared first, and a dry run made only if the bound is below. The
/// answer is cached with the accelerator's programs. If the accelerator cannot do it, it is the
/// host, and the other way round.
///
/// Throws in the name of `function` invalid_argument for threads below 0, an unknown backend or one
/// that `where` excludes, and a precision that the choice does not have; device_error for `device`
/// without accelerator, or one that cannot do it, with the reason.
PAPILIO_API accelerator* place(const char* function, const operation& what, const execution& on,
                               const host_row& host);

/// Step of a pipeline of several operations.
struct pipeline_step {
  operation what = {};
  precision_options precision = {};
  /// Launch that the host does not need: it reads an operand as it is, or adds up as it goes.
  bool is_device_only = false;
  bool operator==(const pipeline_step&) const = default;
};

/// Steps of one dispatch of run_captured, with all arrays of the host that are copied up, `in`, and
/// copied back, `out`. Without steps: the copies alone.
struct submission {
  std::vector<pipeline_step> steps = {};
  operand_shapes arrays = {};
  std::size_t times = 1;  ///< number of times that it is submitted
  bool operator==(const submission&) const = default;
};

/// Returns the accelerator for several submissions, in which there is a step: under `automatic` the
/// sums of their estimates are compared, of the host without the steps that only the device needs.
/// execution::precision is replaced by that of the steps.
PAPILIO_API accelerator* place(const char* function, std::span<const submission> submissions,
                               const execution& on, const host_row& host);

/// Returns the accelerator for one submission, once.
PAPILIO_API accelerator* place(const char* function, std::span<const pipeline_step> steps,
                               const operand_shapes& arrays, const execution& on,
                               const host_row& host);

/// Returns the accelerator `lies_on`, on which the operands are.
/// Throws invalid_argument if `on` names another accelerator or a backend of the host.
PAPILIO_API accelerator& place_device_array(const char* function, accelerator& lies_on,
                                            const execution& on);

/// Throws invalid_argument, in the name of `function`, for a target error that is negative or NaN.
PAPILIO_API void require_valid_precision(const char* function, const precision_options& precision);

/// Throws invalid_argument unless it is native, or a target error that the host should meet.
PAPILIO_API void require_host_precision(const char* function, const precision_options& precision,
                                        double expected_error);

namespace dispatch_detail {

/// Whether the thread is within explain_call(), and the call has not asked for its place yet.
PAPILIO_API bool is_explaining();

}  // namespace dispatch_detail

}  // namespace papilio

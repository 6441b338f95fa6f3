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

/// What an operation is expected to take on the host. Estimated, never measured.
struct host_estimate {
  std::string backend = {};
  std::string recipe = {};
  double seconds = 0;
  double flops = 0;
  double bytes_moved = 0;     ///< between memory and caches
  double relative_error = 0;  ///< expected, Euclidean norm
  std::string basis = {};     ///< where the host's figures come from
};

/// What a component knows of the host. A component that computes an operation hands its row to
/// place(), explain() and the like; nothing is registered anywhere.
struct host_row {
  /// What execution::backend may name, papilio's own code first.
  std::vector<std::string> backends = {};
  /// Of the backend that execution::backend names, or papilio's own. An error says why the host
  /// cannot do the operation.
  host_estimate (*estimate)(const operation& what, const execution& on) = nullptr;
};

/// Products of matrices and numbers, contractions, copies: their work on the host's roofline.
/// Transforms have the rows host_transforms() and host_signals().
PAPILIO_API const host_row& host_roofline();

/// Operations that host_roofline() has.
template <class Problem>
concept roofline_problem =
    std::same_as<Problem, product_problem> || std::same_as<Problem, gemm_problem> ||
    std::same_as<Problem, pair_energy_problem> ||
    std::same_as<Problem, integral_transform_problem> ||
    std::same_as<Problem, arrangement_problem> || std::same_as<Problem, contraction_problem>;

/// host_row::estimate with where the host's figures come from.
PAPILIO_API host_estimate estimate_on_host(const operation& what, const execution& on,
                                           const host_row& host);

/// Names for execution::backend: those of the host, then that of accelerators.
PAPILIO_API std::vector<std::string> backend_names(const host_row& host);

/// invalid_argument in the name of `function`, which lists them, unless it is one of those names.
PAPILIO_API void require_known_backend(const char* function, const std::string& name,
                                       const host_row& host);

/// The accelerator on which an operation whose operands are the host's is to run; null: the host.
///
/// Under `automatic` the accelerator is taken where its estimate is below the host's: its bound
/// (launch, copies, floor) is looked at first, and a dry run made only where the bound is. The
/// answer is kept with the accelerator's programs. Where the accelerator cannot do the operation it
/// is the host, and the other way round. invalid_argument: threads below 0, an unknown
/// backend or one that `where` excludes, a precision that the choice does not have; device_error:
/// `device` without accelerator, or one that cannot do it, with the reason; both in the name of
/// `function`.
PAPILIO_API accelerator* place(const char* function, const operation& what, const execution& on,
                               const host_row& host);

/// One of several operations that follow each other.
struct pipeline_step {
  operation what = {};
  precision_options precision = {};
  /// A launch that the host does without: it reads an operand as it is, or adds up as it goes.
  bool is_device_only = false;
  bool operator==(const pipeline_step&) const = default;
};

/// Steps of one dispatch, as run_captured makes it, with all arrays of the host that go up, `in`,
/// and come back, `out`. Without steps: the copies alone.
struct submission {
  std::vector<pipeline_step> steps = {};
  operand_shapes arrays = {};
  std::size_t times = 1;  ///< that it is submitted
  bool operator==(const submission&) const = default;
};

/// The same of several submissions, in which there is a step: under `automatic` the sums of their
/// estimates are compared, of the host without the steps that are the device's only.
/// execution::precision is not looked at, that of the steps is.
PAPILIO_API accelerator* place(const char* function, std::span<const submission> submissions,
                               const execution& on, const host_row& host);

/// The same of one submission, once.
PAPILIO_API accelerator* place(const char* function, std::span<const pipeline_step> steps,
                               const operand_shapes& arrays, const execution& on,
                               const host_row& host);

/// The same where operands lie on the accelerator `lies_on`: that accelerator, if nothing that `on` says
/// is against it: another accelerator or a backend of the host is an invalid_argument.
PAPILIO_API accelerator& place_device_array(const char* function, accelerator& lies_on,
                                            const execution& on);

/// invalid_argument, in the name of `function`, for a target error that is negative or NaN.
PAPILIO_API void require_valid_precision(const char* function, const precision_options& precision);

/// invalid_argument unless the host computes so: native, or a target error that it is expected to
/// meet.
PAPILIO_API void require_host_precision(const char* function, const precision_options& precision,
                                        double expected_error);

}  // namespace papilio

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/runtime_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Modelled times: of copies between host and device, and of kernels by dry runs.
namespace papilio::operations_detail {

/// How a launch uploads its host operands and fetches its results.
struct host_copies {
  /// One copy brings all operands and one all results, as engine::graph does it.
  bool packed = false;
  std::size_t up = 0, down = 0;  ///< numbers of copies
  double upload_seconds = 0, fetch_seconds = 0;
};

/// Times with one copy for all operands, and one for all results.
host_copies packed_copies(const engine::runtime_spec& runtime, std::span<const double> bytes_in,
                          std::span<const double> bytes_out);

/// Times of the cheaper way: one copy for each array, or one for all. Each copy costs a latency,
/// but a large one may be slower per byte than several.
host_copies copies_of(const engine::runtime_spec& runtime, std::span<const double> bytes_in,
                      std::span<const double> bytes_out);

/// The operation's kernel. device_error where it has none, or none that meets a target error.
kernels::sized_kernel designed(const operation& what, const precision_options& precision,
                               const engine::machine_spec& machine);

/// The estimate of an operation on one core, by a dry run.
device_estimate estimate_on_core(const operation& what, const precision_options& precision,
                                 const engine::device& on);

/// Modelled times and counts of a kernel on a machine.
struct dry_time {
  double device_seconds = 0, floor_seconds = 0;
  double instructions = 0;
  double table_seconds = 0;          ///< to upload its tables
  std::string basis = {};            ///< how it was found, if not by a dry run of all
  std::vector<run_step> steps = {};  ///< empty but for a dry run of all
};

/// Times of `kernel`, which does `what`, by a dry run. For large batches of lines, arrays or
/// segments, it runs parts of the batch with the same design, each twice as large as the last,
/// until the times of three lie on a line, and extrapolates along it; `basis` says so.
dry_time dry_time_of(const operation& what, const precision_options& precision,
                     const kernels::sized_kernel& kernel, const engine::device& on);

}  // namespace papilio::operations_detail

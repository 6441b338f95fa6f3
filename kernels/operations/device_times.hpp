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

// How long copies of the host, and kernels, take.
namespace papilio::operations_detail {

/// How arrays of the host go up for a launch, and its results come back.
struct host_copies {
  /// Arrays are gathered into one copy, results come back in one: engine::graph does so.
  bool packed = false;
  std::size_t up = 0, down = 0;  ///< copies
  double upload_seconds = 0, fetch_seconds = 0;
};

/// All arrays in one copy up, and in one back.
host_copies packed_copies(const engine::runtime_spec& runtime, std::span<const double> bytes_in,
                          std::span<const double> bytes_out);

/// The cheaper one of a copy for each and one for all. Each copy costs a latency, but a large one
/// may be slower per byte than several.
host_copies copies_of(const engine::runtime_spec& runtime, std::span<const double> bytes_in,
                      std::span<const double> bytes_out);

/// The operation's kernel. device_error where it has none, or none that meets a target error.
kernels::sized_kernel designed(const operation& what, const precision_options& precision,
                               const engine::machine_spec& machine);

/// What the operation takes on one core, by a dry run.
device_estimate estimate_on_core(const operation& what, const precision_options& precision,
                                 const engine::device& on);

/// What a kernel takes on a machine.
struct dry_time {
  double device_seconds = 0, floor_seconds = 0;
  double instructions = 0;
  double table_seconds = 0;          ///< to copy its tables
  std::string basis = {};            ///< empty, or how it was found if not by a dry run of all
  std::vector<run_step> steps = {};  ///< of a dry run of all
};

using kernel_designer = kernels::sized_kernel (*)(const operation&, const precision_options&,
                                                  const engine::machine_spec&);

/// By a dry run of `kernel`, which does `what`. Of large batches of lines, arrays or segments, by
/// dry runs of parts of it that the very same design does, each twice the last, until three lie on
/// a line: times are then on that line, and `basis` says so.
dry_time dry_time_of(const operation& what, const precision_options& precision,
                     const kernels::sized_kernel& kernel, const engine::device& on,
                     kernel_designer design);

}  // namespace papilio::operations_detail

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/runtime_spec.hpp"
#include "papilio/kernels/published/published_run.hpp"
#include "papilio/kernels/published/table.hpp"

namespace papilio::kernels::published {

/// Work of the published systems' own host programs, which is neither the machine's nor the
/// runtime's: loops of an interpreter over single elements. One set for all rows, fitted together
/// with the constants of engine::sdk_2_24 (relative least squares; see there).
struct published_host_terms {
  double bit_reversal_us = 5.46;  ///< a point of a line, once a call of the radix-2 FFT
  double chirp_us = 5.61;         ///< a point of Bluestein's chirps
};

/// The terms of one row, in microseconds.
struct published_host_work {
  double bit_reversal_us = 0;
  double chirp_us = 0;

  double total_us() const { return bit_reversal_us + chirp_us; }
};

/// The runtime of the row's SDK. sdk_2_24, with which most rows were measured, where the source
/// names none.
PAPILIO_API engine::runtime_spec runtime_of(const table_row& row);

/// What the row's published algorithm costs on the device, in a dry run: its launches, copies and
/// kernels. invalid_argument unless row.where is the device. O(instructions issued).
PAPILIO_API published_run run_published(const table_row& row, engine::device& on);

/// What the row's published host program adds. invalid_argument unless row.where is the device.
PAPILIO_API published_host_work host_work_of(const table_row& row,
                                             const published_host_terms& terms = {});

/// The same operation with papilio's own kernels, in a dry run: one launch, operands copied in and
/// the result out, tables resident. None where there is no such kernel. invalid_argument unless
/// row.where is the device, or partly so.
PAPILIO_API std::optional<engine::launch_result> run_ours(const table_row& row, engine::device& on);

/// A step of which the device was a part, as one kernel of papilio's.
struct step_row {
  const table_row* row = nullptr;
  engine::launch_result ours = {};
};
/// Every such row that there is a kernel for, in the table's order. About a second.
PAPILIO_API std::vector<step_row> steps_by_ours(
    const engine::machine_spec& machine,
    const std::optional<engine::runtime_spec>& runtime = std::nullopt);

/// A row of the device, modelled.
struct PAPILIO_API modelled_row {
  const table_row* row = nullptr;
  std::string runtime;
  published_run run = {};
  published_host_work host = {};
  std::optional<engine::launch_result> ours = {};

  /// Launches, copies and device.
  double without_host_us() const { return run.total_seconds() * 1e6; }
  double modelled_us() const { return without_host_us() + host.total_us(); }
  /// modelled / published - 1.
  double residual() const { return modelled_us() / row->us - 1; }
  double residual_without_host() const { return without_host_us() / row->us - 1; }
  /// published / ours.
  std::optional<double> speedup() const;
};

/// Every row of the device, in the table's order, on a machine, with the runtime of its SDK or with
/// the one given. About a second. Errors as engine::device.
PAPILIO_API std::vector<modelled_row> model_table(
    const engine::machine_spec& machine,
    const std::optional<engine::runtime_spec>& runtime = std::nullopt,
    const published_host_terms& terms = {});

}  // namespace papilio::kernels::published

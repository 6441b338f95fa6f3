#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/published/published.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/profile.hpp"
#include "papilio/engine/runtime_spec.hpp"

// Published times as data: kernels/published/published.json, compiled into the library.
namespace papilio::kernels::published {

/// Selects where the time of a row was spent.
enum class row_place : std::uint8_t {
  device,          ///< the device, with copies, launches and the program around them
  kernel,          ///< the device alone: one kernel, by its profile or the runtime's clock
  partly,          ///< a step that uses the device in part
  host,            ///< the host
  host_as_device,  ///< the device was asked for, and the host ran
  retracted        ///< withdrawn by its authors
};

/// Selects the role of a row of a device or a kernel in fitting constants: of a device those of the
/// runtimes and published_host_terms, of a kernel those of the machine.
enum class row_role : std::uint8_t {
  none,  ///< of neither
  fit,   ///< used in the fit
  test   ///< not used in the fit
};

/// Selects what a row computes; the comment lists its sizes.
enum class row_kind : std::uint8_t {
  fft,             ///< extents, all of which are transformed
  batched_fft,     ///< lines, points
  bluestein,       ///< points
  stft,            ///< samples, n_fft, hop; centred
  complex_gemm,    ///< m, k, n
  complex_linear,  ///< rows, inputs, outputs
  complex_mask,    ///< rows, columns
  dft_product,     ///< lines, points; one product with the direct DFT matrix
  stockham,        ///< lines, points, the radix of all stages, or 0 for stockham_plan::mixed
  matmul,          ///< m, k, n
  batched_matmul,  ///< products, m, k, n
  gemm,            ///< m, k, n; trnblas'
  gemm_slices,     ///< products, m, k, n; trnblas', one launch per product
  fused_mp2,       ///< nocc, nvir, naux
  other            ///< none
};

/// Holds what a published profile of a kernel says besides its time: active times of engines as
/// fractions of it, and bytes. 0: not published.
struct published_profile {
  double vector = 0, scalar = 0, gpsimd = 0, dma = 0;
  std::int64_t hbm_read_bytes = 0, hbm_write_bytes = 0;
  bool spills = false;  ///< bytes with those that the vendor's compiler spilled and reloaded
};

/// Holds a published time.
struct table_row {
  std::string_view system;   ///< the library that published it: "trnfft", "trntensor", "trnblas"
  std::string_view version;  ///< of that library
  std::string_view sdk;      ///< of the vendor, "2.24"; empty where the source has none
  std::string_view source;   ///< a public document
  std::string_view op, shape, precision, path;  ///< as in the source
  std::string_view note;
  row_place where = row_place::host;
  row_role role = row_role::none;
  row_kind kind = row_kind::other;
  std::array<std::int64_t, 4> sizes = {};  ///< as row_kind says, then zeros
  double us = 0;                           ///< microseconds of a warm call, or of the kernel
  std::string_view kernel;                 ///< of a kernel: that of the catalog, and its settings
  published_profile profile = {};
};

/// Returns all rows, in the order of the file.
std::span<const table_row> table();

/// Returns the microseconds of the fastest host row for the operation of `row` (same system,
/// operation and shape), or nothing if none was published.
std::optional<double> published_host_us(const table_row& row);

/// Holds the costs of the published systems' own host programs, which are neither the machine's nor
/// the runtime's. One set for all rows, fitted together with the constants of the runtimes
/// (relative least squares; see engine::runtime_spec), except matrix_us, quoted from a fit by
/// others.
struct published_host_terms {
  double bit_reversal_us = 5.46;   ///< per point of a line, once per call of the radix-2 FFT
  double chirp_us = 5.61;          ///< per point of Bluestein's chirps
  double matrix_us = 1.4e-3;       ///< per element of a DFT matrix
  double stockham_stage_us = 339;  ///< per stage: two permutations (97 by a probe) and tables
};

/// Holds the host terms of one row, in microseconds.
struct published_host_work {
  double bit_reversal_us = 0;
  double chirp_us = 0;
  double matrix_us = 0;
  double stockham_stage_us = 0;

  double total_us() const { return bit_reversal_us + chirp_us + matrix_us + stockham_stage_us; }
};

/// Returns the runtime of the row's SDK; sdk_2_24, which most rows used, if the source names none.
engine::runtime_spec runtime_of(const table_row& row);

/// Returns what the row's published algorithm costs on the device, in a dry run: its launches,
/// copies and kernels. O(instructions issued). Throws invalid_argument unless row.where is the
/// device.
published_run run_published(const table_row& row, engine::device& on);

/// Returns what the row's published host program adds. Throws invalid_argument unless row.where is
/// the device.
published_host_work host_work_of(const table_row& row, const published_host_terms& terms = {});

/// Runs the same operation with papilio's own kernels, in a dry run: one launch, operands uploaded
/// and the result fetched, tables already there. Returns nothing if there is no such kernel. Throws
/// invalid_argument unless row.where is device or partly.
std::optional<engine::launch_result> run_ours(const table_row& row, engine::device& on);

/// Holds a step that uses the device in part, as one kernel of papilio's.
struct step_row {
  const table_row* row = nullptr;
  engine::launch_result ours = {};
};
/// Returns all such rows that have a kernel, in the table's order. Takes about a second.
std::vector<step_row> steps_by_ours(
    const engine::machine_spec& machine,
    const std::optional<engine::runtime_spec>& runtime = std::nullopt);

/// Holds a row of the device with its modelled time.
struct modelled_row {
  const table_row* row = nullptr;
  std::string runtime;
  published_run run = {};
  published_host_work host = {};
  std::optional<engine::launch_result> ours = {};

  /// Returns the time of launches, copies and device.
  double without_host_us() const { return run.total_seconds() * 1e6; }
  double modelled_us() const { return without_host_us() + host.total_us(); }
  /// Returns modelled / published - 1.
  double residual() const { return modelled_us() / row->us - 1; }
  double residual_without_host() const { return without_host_us() / row->us - 1; }
  /// Returns published / ours.
  std::optional<double> speedup() const;
};

/// Holds a row of a kernel with its modelled profile.
struct kernel_row {
  const table_row* row = nullptr;
  double seconds = 0;
  engine::profile profile = {};
  std::optional<time_range> range = {};

  /// Returns modelled / published - 1.
  double residual() const { return seconds * 1e6 / row->us - 1; }
  /// Returns the range's width over the modelled time. Only where there is a range.
  double range_width() const;
  bool range_holds_published() const;
};

/// Models every row of a kernel, in the table's order, on a machine; with ranges if asked for, which
/// take some 20 times as long.
std::vector<kernel_row> model_kernels(const engine::machine_spec& machine, bool ranges = false);

/// Models every row of the device, in the table's order, on a machine, with the runtime of its SDK
/// or the given one. Takes about a second. Throws as engine::device.
std::vector<modelled_row> model_table(
    const engine::machine_spec& machine,
    const std::optional<engine::runtime_spec>& runtime = std::nullopt,
    const published_host_terms& terms = {});

}  // namespace papilio::kernels::published

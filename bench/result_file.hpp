#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// What a run of the published tables found, as a JSON file. Nothing here measures or models.
namespace papilio::bench {

/// Of the files; readers refuse others.
inline constexpr int result_format = 1;

/// Where the verdict turns from the modelled host to the device as an operation grows.
struct crossing {
  std::size_t device_wins = 0;  ///< the least size found at which the device is faster; 0: none
  std::size_t host_wins = 0;    ///< the largest looked at, below that one, at which it is not
  bool operator==(const crossing&) const = default;
};

struct result_row {
  std::string table = {};  ///< "contractions", "transforms", "residency" or "energy"
  std::string op = {}, shape = {};
  double flops = 0;          ///< a multiplication and an addition are two; 0: not counted
  std::string missing = {};  ///< why there are no times; empty: there are
  /// Measured: median seconds of a call of the public API; CPU time of one thread, wall time of
  /// all.
  std::optional<double> host_one = {}, host_all = {};
  std::string peer = {};  ///< what was measured in turns with it; empty: nothing
  std::optional<double> peer_one = {}, peer_all = {};
  bool is_quiet = true;  ///< enough of the blocks were undisturbed
  /// Modelled: seconds from the host and back to it, program compiled; of which launch, copies and
  /// the device's own; with operands and result there; with the compilation.
  std::string recipe = {};
  std::optional<double> device_warm = {}, device_launch = {}, device_copies = {},
                        device_program = {}, device_resident = {}, device_cold = {};
  /// Euclidean norm of the error over that of the result: against the same in double, by running
  /// it once on the emulated device; and as expected by the kernel.
  std::optional<double> error = {}, expected_error = {};
  /// Microseconds, by others, on the same kind of device and on its host.
  std::optional<double> published_device = {}, published_host = {};
  std::string published_note = {};
  std::string grows_by = {};  ///< what the crossings count; empty: there are none
  std::optional<crossing> crossing_warm = {}, crossing_resident = {};

  /// The faster one of the host's; none where it was not measured.
  std::optional<double> host_best() const;
  bool operator==(const result_row&) const = default;
};

struct result_file {
  std::string version = {}, build = {};  ///< papilio's; with the libraries that it names
  std::string date = {};                 ///< 2026-11-21
  std::string processor = {}, instruction_set = {}, host_model = {};
  std::size_t cores = 0;
  double load = 0;  ///< processes that ran or waited, of the minute before; idle: 0
  bool is_calibrated = false;
  std::string blas = {}, blas_core = {};  ///< OpenBLAS, and the processor that it takes this for
  std::string blas_core_asked = {};       ///< by OPENBLAS_CORETYPE; empty: it chose
  std::string machine = {}, runtime = {};
  std::vector<result_row> rows = {};

  bool operator==(const result_file&) const = default;
};

std::string to_json(const result_file& results);
/// std::runtime_error that begins with `name`: no JSON, another format, a member that is missing,
/// unknown, of another type or out of its bounds, a row given twice.
result_file from_json(const std::string& text, const std::string& name);

/// std::runtime_error with the path where the file cannot be read; else as from_json.
result_file read_results(const std::filesystem::path& path);
/// Writes the file whole or not at all, and missing folders before it.
void write_text(const std::filesystem::path& path, const std::string& text);
std::string read_text(const std::filesystem::path& path);

/// "v0.1.0-2026-11-21.json"
std::string file_name_of(const result_file& results);
/// The file of the latest date in a folder, of several the one whose name is last.
/// std::runtime_error where there is none; as read_results.
std::filesystem::path newest_results(const std::filesystem::path& folder);

}  // namespace papilio::bench

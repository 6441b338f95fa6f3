#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "cli/psd_task.hpp"
#include "papilio/io.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// How densities are estimated, but for --n-fft and --window.
struct psd_flags {
  std::optional<std::size_t> segment_length, overlap;
  std::string detrend = "constant", scaling = "density", average = "mean";
  bool per_channel = false;

  /// --segment-length, --overlap, --detrend, the flag called `scaling_flag`, --average and
  /// --per-channel, in a group of the help.
  void add_to(command& verb, const char* scaling_flag, const char* group);
  /// Of no file yet; `scipy`: segments are those of scipy.signal.welch. usage_error, naming the
  /// flag, where they do not fit each other.
  psd_request request(std::optional<std::size_t> n_fft, const window_spec& window,
                      bool scipy) const;
};

/// The tables of a density, written but for the commit.
csv_writer psd_csv(const std::filesystem::path& out, const psd_result& result, bool per_channel);
npy_region_writer<double> psd_npy(const std::filesystem::path& out, const psd_result& result,
                                  bool per_channel);
/// One of them by the ending .csv or .npy, whole or not at all.
void write_psd_table(const std::filesystem::path& out, const psd_result& result, bool per_channel);

/// 10 log10 of the power beside that of a full-scale sine, 1/2.
inline double psd_level_db(double power) { return power_to_db(power, 0.5); }

}  // namespace papilio::cli

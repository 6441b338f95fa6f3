#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/candidate.hpp"
#include "papilio/dispatch/host_model.hpp"

namespace papilio {

/// The model on which estimates of the host rest: what use_host() was given, else what
/// host_calibration_file() holds, where that is there, else host_from_features(). Found at the
/// first call, by whichever thread; nothing that runs under policy::host calls it. io_error as
/// load_host() where the file is there and is not good: a bad calibration is never replaced by
/// another in silence, and the next call reads it anew.
PAPILIO_API host_model current_host();

/// Lets later estimates rest on `host`. invalid_argument naming the first field out of its bounds.
PAPILIO_API void use_host(const host_model& host);

/// Where a calibration is looked for: what the environment's PAPILIO_CALIBRATION names, else
/// papilio/host.json in $XDG_CONFIG_HOME, else in ~/.config. None where PAPILIO_CALIBRATION is
/// "off" or there is no such folder. The environment is read once.
PAPILIO_API std::optional<std::filesystem::path> host_calibration_file();

/// Makes something that multiplies two real matrices, [side, side], each time that it is called.
using gemm_maker = std::function<std::function<void()>(real_type type, std::size_t side)>;

/// How quiet the computer was while it was measured.
struct PAPILIO_API host_steadiness {
  /// Of the time of loops on all cores at once: what their threads waited for a core.
  double waited_share = 0;
  /// Largest over smallest CPU time, less 1, of one and the same loop run in the beginning, between
  /// the measurements and in the end.
  double spread = 0;

  /// Why figures taken meanwhile are not to be relied on: more than 10 % waited, or a spread of
  /// more than 25 %. Empty where they are.
  std::string fault() const;
};

/// Measures this computer for `seconds`, to within a tenth (at least a second or two): peak of
/// fused multiply-adds, copying at each level of memory on one core and on all, transforms at each
/// level, what calls, lines and threads cost, elementwise work and rearranging; and products of
/// matrices in float and double where `make_gemm` makes them, on this thread alone, else
/// gemm_peak_share stays. Each figure is the best of several runs, in CPU time where one thread
/// works. `steadiness`, where it is given, gets how quiet the computer was. Uses up to 512 MiB;
/// resource_error if they cannot be had. invalid_argument unless 0 < seconds <= 600.
PAPILIO_API host_model calibrate_host(double seconds = 3, const gemm_maker& make_gemm = {},
                                      host_steadiness* steadiness = nullptr);

/// Writes a calibrated model as JSON, one member for each field; the file appears whole or not at
/// all, and so do missing folders before it. invalid_argument where it was never measured or a
/// field is out of its bounds, io_error where the file cannot be written.
PAPILIO_API void save_host(const std::filesystem::path& path, const host_model& host);

/// Reads what save_host() wrote on this processor with this instruction set; `cores` is what this
/// process may use. io_error with the path and the field where a field is missing, unknown, given
/// twice, not of its type or out of its bounds, or where the file is of another processor.
PAPILIO_API host_model load_host(const std::filesystem::path& path);

/// What papilio's own plans would take for `lines` lines, or arrays, on `threads` threads of `host`
/// (0: one for each core).
/// `problem` is one that the backend "host" can do.
PAPILIO_API fft_estimate host_fft_estimate(const host_model& host, const fft_problem& problem,
                                           std::size_t lines = 1, int threads = 1);

}  // namespace papilio
